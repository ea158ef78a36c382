import { isVendored } from '../../grouping/paths.ts'
import type { Schema } from '../../sql/schema.ts'
import type { Selectable } from 'kysely'
import { baseName, pathsOf, segmentsOf } from './frame-file.ts'
import type { FrameFile } from './frame-file.ts'

/** A row of `sourcemap_artifact` as lookups read it. */
export type Artifact = Omit<Selectable<Schema['sourcemap_artifact']>, 'product_id' | 'base_name'>

/** What leads from a generated file to its sources. */
export interface Found {
  map: Artifact
  /** Without it, function names are guessed from the map alone. */
  minified: Artifact | undefined
}

/** Why nothing leads there. */
export type Missing =
  | { missing: 'release' | 'nothing for release' | 'debug id' | 'map of minified file' | 'one of several' | 'files' }
  | { missing: 'path'; maps: number }

export type Match = Found | Missing

/** What a product holds that may fit the files of an event. */
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
 * The artifacts of a frame's file (ERRORS §3.1): by debug id; by release, dist and path; else the one of the release with
 * the same base name whose path ends alike longest, as most maps that are there and do not apply were uploaded under
 * another folder than the one their files are served from. The newest wins, one of the event's own dist before others.
 */
export function matchFile(file: FrameFile, shelf: Shelf, { release, dist }: Build): Match {
  const byId = file.debugId === '' ? undefined : matchDebugId(file.debugId, shelf.artifacts)
  if (byId !== undefined && 'map' in byId) return byId
  if (release === '') return byId ?? { missing: file.debugId === '' ? 'release' : 'debug id' }
  const ofBuild = shelf.artifacts
    .filter((artifact) => artifact.release === release && (artifact.dist === '' || artifact.dist === dist))
    .toSorted((left, right) => Number(right.dist === dist) - Number(left.dist === dist))
  const exact = matchPath(file.paths, ofBuild)
  if (exact !== undefined && 'map' in exact) return exact
  const alike = matchSuffix(file, ofBuild)
  if (alike !== undefined) return alike
  return (
    exact ?? byId ?? (shelf.maps === 0 ? { missing: 'nothing for release' } : { missing: 'path', maps: shelf.maps })
  )
}

function matchDebugId(debugId: string, artifacts: readonly Artifact[]): Match | undefined {
  const named = artifacts.filter((artifact) => artifact.debug_id === debugId)
  const minified = named.find(({ kind }) => kind === 'minified')
  const map = named.find(({ kind }) => kind === 'map') ?? (minified && mapOf(minified, sameBuild(minified, artifacts)))
  if (map !== undefined) return { map, minified: minified ?? minifiedOf(map, sameBuild(map, artifacts)) }
  return minified && { missing: 'map of minified file' }
}

function sameBuild({ release, dist }: Build, artifacts: readonly Artifact[]): Artifact[] {
  return artifacts.filter((artifact) => artifact.release === release && artifact.dist === dist)
}

function matchPath(paths: readonly string[], artifacts: readonly Artifact[]): Match | undefined {
  let lonely = false
  for (const path of paths) {
    const minified = artifacts.find((artifact) => artifact.kind === 'minified' && artifact.path === path)
    const map = (minified && mapOf(minified, artifacts)) ?? mapBeside(path, artifacts)
    if (map !== undefined) return { map, minified }
    if (minified !== undefined) lonely = true
  }
  return lonely ? { missing: 'map of minified file' } : undefined
}

/** The map that the minified file itself names, else the one beside it. */
function mapOf(minified: Artifact, artifacts: readonly Artifact[]): Artifact | undefined {
  // The file may name an address where the upload has `~/`.
  const named = minified.counterpart === '' ? [] : pathsOf(minified.counterpart)
  return (
    artifacts.find(({ kind, path }) => kind === 'map' && named.includes(path)) ?? mapBeside(minified.path, artifacts)
  )
}

function mapBeside(path: string, artifacts: readonly Artifact[]): Artifact | undefined {
  return artifacts.find(
    (artifact) => artifact.kind === 'map' && (artifact.path === `${path}.map` || artifact.counterpart === path),
  )
}

function minifiedOf(map: Artifact, artifacts: readonly Artifact[]): Artifact | undefined {
  return artifacts.find(({ kind, path }) => kind === 'minified' && path === minifiedPath(map))
}

/** The path of the minified file that an artifact is, or is the map of. */
function minifiedPath({ kind, path, counterpart }: Artifact): string {
  if (kind === 'minified') return path
  return counterpart === '' ? path.replace(/\.map$/, '') : counterpart
}

interface Likeness {
  found: Found
  /** Is the shorter path a part of the longer one, without a folder that contradicts? */
  isWhole: boolean
  /** Segments from the end that are the same. */
  common: number
}

/** Undefined when nothing has the file's base name; of two that fit alike none is taken. */
function matchSuffix(file: FrameFile, artifacts: readonly Artifact[]): Match | undefined {
  // Packages have many files of one name; what a team uploads is its own.
  const usable = file.isPackage ? artifacts.filter(({ path }) => isVendored(path)) : artifacts
  const likenesses: Likeness[] = []
  for (const [path, rows] of Map.groupBy(usable, minifiedPath)) {
    if (!file.baseNames.includes(baseName(path))) continue
    const minified = rows.find(({ kind }) => kind === 'minified')
    const map = (minified && mapOf(minified, artifacts)) ?? rows.find(({ kind }) => kind === 'map')
    if (map !== undefined) likenesses.push({ found: { map, minified }, ...likenessOf(file.segments, segmentsOf(path)) })
  }
  const [best, next] = likenesses.toSorted(byLikeness)
  if (best === undefined) return undefined
  return next !== undefined && byLikeness(best, next) === 0 ? { missing: 'one of several' } : best.found
}

function likenessOf(left: readonly string[], right: readonly string[]): { isWhole: boolean; common: number } {
  const shorter = Math.min(left.length, right.length)
  let common = 0
  while (common < shorter && left.at(-1 - common) === right.at(-1 - common)) common += 1
  return { isWhole: common === shorter, common }
}

function byLikeness(left: Likeness, right: Likeness): number {
  return Number(right.isWhole) - Number(left.isWhole) || right.common - left.common
}
