import { isVendored } from '../../../shared/code-paths.ts'
import type { Schema } from '../../../sql/schema.ts'
import type { Selectable } from 'kysely'
import { baseName, possiblePaths, pathSegments, type FrameFile } from './frame-file.ts'

/** A row of `sourcemap_artifact` as lookups read it. */
export type Artifact = Omit<Selectable<Schema['sourcemap_artifact']>, 'product_id' | 'base_name'>

/** The artifacts that lead from a generated file to its sources. */
export interface MatchedArtifacts {
  map: Artifact
  /** Without it, function names are guessed from the map alone. */
  minified: Artifact | undefined
}

/** Why there is no match. */
export type Missing =
  | { missing: 'release' | 'nothing for release' | 'debug id' | 'map of minified file' | 'one of several' | 'files' }
  | { missing: 'path'; maps: number }

export type Match = MatchedArtifacts | Missing

/** The artifacts of a product that may match the files of an event. */
export interface Shelf {
  /** The newest first. */
  artifacts: readonly Artifact[]
  /** Maps of the event's release, of every dist. */
  maps: number
}

interface Build {
  release: string
  dist: string
}

/**
 * Finds the artifacts of a frame's file (errors §3.1): by debug id; by release, dist and path; else the one of the
 * release with the same base name and the longest common end of the path, because most maps that exist but do not match
 * were uploaded under a folder other than the one their files are served from. The newest wins, and the event's own
 * dist before others. The shelf is sorted once, so that the cost per file stays the same for many files of one name.
 */
export function createMatcher({ artifacts, maps }: Shelf, { release, dist }: Build): (file: FrameFile) => Match {
  const byDebugId = Map.groupBy(artifacts, (artifact) => artifact.debug_id)
  const builds = new Map<string, Catalogue>()
  const ofBuild = createCatalogue(
    artifacts
      .filter((artifact) => artifact.release === release && (artifact.dist === '' || artifact.dist === dist))
      .toSorted((left, right) => Number(right.dist === dist) - Number(left.dist === dist)),
  )

  function sameBuild(build: Build): Catalogue {
    const key = JSON.stringify([build.release, build.dist])
    const known = builds.get(key)
    if (known !== undefined) return known
    const catalogue = createCatalogue(
      artifacts.filter((artifact) => artifact.release === build.release && artifact.dist === build.dist),
    )
    builds.set(key, catalogue)
    return catalogue
  }

  function matchDebugId(debugId: string): Match | undefined {
    const named = byDebugId.get(debugId) ?? []
    const minified = named.find(({ kind }) => kind === 'minified')
    const map = named.find(({ kind }) => kind === 'map') ?? (minified && sameBuild(minified).findMap(minified))
    if (map !== undefined) return { map, minified: minified ?? sameBuild(map).minifiedAt(minifiedPath(map)) }
    return minified && { missing: 'map of minified file' }
  }

  return (file) => {
    const byId = file.debugId === '' ? undefined : matchDebugId(file.debugId)
    if (byId !== undefined && 'map' in byId) return byId
    if (release === '') return byId ?? { missing: file.debugId === '' ? 'release' : 'debug id' }
    const exact = matchPath(file.paths, ofBuild)
    if (exact !== undefined && 'map' in exact) return exact
    const alike = matchSuffix(file, ofBuild)
    if (alike !== undefined) return alike
    return exact ?? byId ?? (maps === 0 ? { missing: 'nothing for release' } : { missing: 'path', maps })
  }
}

/** The artifacts of one build, by every key that lookups use. */
interface Catalogue {
  minifiedAt(path: string): Artifact | undefined
  /** The map that the minified file itself names, else the one next to it. */
  findMap(minified: Artifact): Artifact | undefined
  mapBeside(path: string): Artifact | undefined
  /** Minified files of a base name that have a map; only those of packages if `isPackage`. */
  named(baseName: string, options: { isPackage: boolean }): readonly Candidate[]
}

interface Candidate {
  found: MatchedArtifacts
  segments: readonly string[]
}

/** Of two artifacts that match equally well, the first in the list is taken. */
function createCatalogue(artifacts: readonly Artifact[]): Catalogue {
  const place = new Map(artifacts.map((artifact, index) => [artifact, index]))
  const maps = artifacts.filter(({ kind }) => kind === 'map')
  const minifiedFiles = firstBy(
    artifacts.filter(({ kind }) => kind === 'minified'),
    ({ path }) => path,
  )
  const mapsByPath = firstBy(maps, ({ path }) => path)
  const mapsByMinified = firstBy(maps, ({ counterpart }) => counterpart)
  const byBaseName = Map.groupBy(artifacts, (artifact) => baseName(minifiedPath(artifact)))
  const candidates = new Map<string, readonly Candidate[]>()

  function firstOfBuild(found: readonly (Artifact | undefined)[]): Artifact | undefined {
    const [first] = found
      .filter((artifact) => artifact !== undefined)
      .toSorted((left, right) => (place.get(left) ?? 0) - (place.get(right) ?? 0))
    return first
  }
  function mapBeside(path: string): Artifact | undefined {
    return firstOfBuild([mapsByPath.get(`${path}.map`), mapsByMinified.get(path)])
  }
  function findMap({ path, counterpart }: Artifact): Artifact | undefined {
    // The file may name an address while the upload has `~/`.
    const named = counterpart === '' ? [] : possiblePaths(counterpart)
    return firstOfBuild(named.map((name) => mapsByPath.get(name))) ?? mapBeside(path)
  }
  function toCandidates(rows: readonly Artifact[]): Candidate[] {
    return [...Map.groupBy(rows, minifiedPath)].flatMap(([path, files]) => {
      const minified = files.find(({ kind }) => kind === 'minified')
      const map = (minified && findMap(minified)) ?? files.find(({ kind }) => kind === 'map')
      return map === undefined ? [] : [{ found: { map, minified }, segments: pathSegments(path) }]
    })
  }

  return {
    minifiedAt: (path) => minifiedFiles.get(path),
    findMap,
    mapBeside,
    named(name, { isPackage }) {
      const key = `${String(isPackage)} ${name}`
      const known = candidates.get(key)
      if (known !== undefined) return known
      // Packages have many files of one name; most uploads are the team's own code.
      const usable = (byBaseName.get(name) ?? []).filter(({ path }) => !isPackage || isVendored(path))
      const found = toCandidates(usable)
      candidates.set(key, found)
      return found
    },
  }
}

function firstBy(artifacts: readonly Artifact[], toKey: (artifact: Artifact) => string): Map<string, Artifact> {
  // For equal keys, the last one written stays.
  return new Map(artifacts.toReversed().map((artifact) => [toKey(artifact), artifact]))
}

function matchPath(paths: readonly string[], catalogue: Catalogue): Match | undefined {
  let lonely = false
  for (const path of paths) {
    const minified = catalogue.minifiedAt(path)
    const map = (minified && catalogue.findMap(minified)) ?? catalogue.mapBeside(path)
    if (map !== undefined) return { map, minified }
    if (minified !== undefined) lonely = true
  }
  return lonely ? { missing: 'map of minified file' } : undefined
}

/** The path of the minified file that an artifact is, or is the map of. */
function minifiedPath({ kind, path, counterpart }: Artifact): string {
  if (kind === 'minified') return path
  return counterpart === '' ? path.replace(/\.map$/, '') : counterpart
}

interface Likeness {
  found: MatchedArtifacts
  /** Whether the longer path ends with the whole shorter one. */
  isWhole: boolean
  /** Number of equal segments, counted from the end. */
  common: number
}

/** Undefined when nothing has the file's base name; of two that match equally well, none is taken. */
function matchSuffix({ baseNames, segments, isPackage }: FrameFile, catalogue: Catalogue): Match | undefined {
  let best: Likeness | undefined
  let isTie = false
  for (const name of baseNames) {
    for (const candidate of catalogue.named(name, { isPackage })) {
      const likeness = { found: candidate.found, ...compareSegments(segments, candidate.segments) }
      const order = best === undefined ? -1 : byLikeness(likeness, best)
      isTie = order === 0 || (order > 0 && isTie)
      if (order < 0) best = likeness
    }
  }
  if (best === undefined) return undefined
  return isTie ? { missing: 'one of several' } : best.found
}

function compareSegments(left: readonly string[], right: readonly string[]): { isWhole: boolean; common: number } {
  const shorter = Math.min(left.length, right.length)
  let common = 0
  while (common < shorter && left.at(-1 - common) === right.at(-1 - common)) common += 1
  return { isWhole: common === shorter, common }
}

function byLikeness(left: Likeness, right: Likeness): number {
  return Number(right.isWhole) - Number(left.isWhole) || right.common - left.common
}
