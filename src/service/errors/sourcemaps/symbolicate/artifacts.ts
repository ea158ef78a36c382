import type { Database, Rows } from '../../../sql/database.ts'
import { baseName, type FrameFile } from './frame-file.ts'
import { Lru } from './lru.ts'
import { createMatcher, type Artifact, type Match } from './match.ts'

/** How long a map that another process has confirmed may go unnoticed. */
const REFRESH_MS = 2_000
/** Rows of one query, the newest first: a release may hold thousands of files called `index.js`. */
const MOST_ROWS = 5_000
/** Maps of one release whose name differs from that of their minified file. */
const MOST_ODD_MAPS = 1_000
const MOST_REMEMBERED = { weight: 16 * 1024 * 1024, entries: 50_000 }

const columns = ['id', 'sourcemap_id', 'kind', 'content', 'debug_id', 'release', 'dist', 'path', 'counterpart'] as const

/** The build an event is of. */
export interface Build {
  productId: number
  release: string
  dist: string
}

interface ReleaseFacts {
  maps: number
  /** Maps that are not found by base name. */
  odd: readonly Artifact[]
}

export interface ArtifactIndex {
  /** The match of each file, by its key. A file that was looked up before costs no query. */
  match(build: Build, files: readonly FrameFile[]): Promise<Map<string, Match>>
  /** Whether a product has anything uploaded. */
  hasAny(productId: number): Promise<boolean>
  /** Whether a release has maps. */
  hasMaps(productId: number, release: string): Promise<boolean>
  /** Forgets everything about a product. */
  changed(productId: number): void
  /** The table of a source that a map names without its text; undefined when none was uploaded. */
  findSource(productId: number, wanted: WantedSource): Promise<FoundSource | undefined>
}

export interface FoundSource {
  content: string
  sourcemapId: string
}

/** A source whose text is not in its map. */
export interface WantedSource {
  map: Artifact
  /** Paths that it may have been uploaded under, the most exact first. */
  paths: readonly string[]
}

/**
 * Finds artifacts of files with a few queries, however many files there are, and remembers the answers until the
 * product's artifacts change in this process, or any product's in another one (checked every two seconds by `now`).
 */
export function createArtifactIndex({ db, now }: { db: Database; now: () => number }): ArtifactIndex {
  const matches = new Lru<Match>(MOST_REMEMBERED)
  const releases = new Lru<ReleaseFacts>(MOST_REMEMBERED)
  const withoutAny = new Lru<true>({ weight: 10_000, entries: 10_000 })
  const texts = new Lru<{ source: FoundSource | undefined }>(MOST_REMEMBERED)
  const kinds = [matches, releases, withoutAny, texts]
  /** Incremented whenever something is forgotten: a query that was running at that time is not remembered. */
  let epoch = 0
  let newest: number | undefined
  let lookedAt = -Infinity

  async function refresh(): Promise<void> {
    const time = now()
    if (time >= lookedAt && time - lookedAt < REFRESH_MS) return
    lookedAt = time
    const found = await db.read
      .selectFrom('sourcemap_artifact')
      .select((eb) => eb.fn.max('id').as('id'))
      .executeTakeFirst()
    const id = found?.id ?? 0
    if (newest !== undefined && id !== newest) forget('')
    newest = id
  }

  function forget(prefix: string): void {
    epoch += 1
    for (const kept of kinds) kept.clear(prefix)
  }

  async function hasAny(productId: number): Promise<boolean> {
    if (withoutAny.get(`${productId}\n`) === true) return false
    const started = epoch
    const found = await db.read
      .selectFrom('sourcemap_artifact')
      .select('id')
      .where('product_id', '=', productId)
      .limit(1)
      .executeTakeFirst()
    if (found === undefined && started === epoch) withoutAny.set(`${productId}\n`, true, 1)
    return found !== undefined
  }

  async function findReleaseFacts({ productId, release }: Build): Promise<ReleaseFacts> {
    if (release === '') return { maps: 0, odd: [] }
    const key = `${productId}\n${release}`
    const known = releases.get(key)
    if (known !== undefined) return known
    const started = epoch
    const facts = await readRelease(db.read, productId, release)
    if (started === epoch) releases.set(key, facts, 500 * (1 + facts.odd.length))
    return facts
  }

  async function readMatches(build: Build, files: readonly FrameFile[]): Promise<Match[]> {
    if (!(await hasAny(build.productId))) return files.map(createMatcher({ artifacts: [], maps: 0 }, build))
    const { maps, odd } = await findReleaseFacts(build)
    const artifacts = await readArtifacts(db.read, build, files)
    return files.map(createMatcher({ artifacts: newestFirst([...artifacts, ...odd]), maps }, build))
  }

  return {
    async match(build, files) {
      await refresh()
      const prefix = `${build.productId}\n${build.release}\n${build.dist}\n`
      const answers = new Map<string, Match>()
      const unknown: FrameFile[] = []
      for (const file of files) {
        const known = matches.get(prefix + file.key)
        if (known === undefined) unknown.push(file)
        else answers.set(file.key, known)
      }
      if (unknown.length === 0) return answers
      const started = epoch
      for (const [index, match] of (await readMatches(build, unknown)).entries()) {
        const { key } = unknown[index]!
        answers.set(key, match)
        // Two bytes per character, plus the artifacts.
        if (started === epoch) matches.set(prefix + key, match, 2 * (prefix.length + key.length) + 1_000)
      }
      for (const kept of kinds) kept.trim()
      return answers
    },
    async hasAny(productId) {
      await refresh()
      return hasAny(productId)
    },
    async hasMaps(productId, release) {
      await refresh()
      return (await findReleaseFacts({ productId, release, dist: '' })).maps > 0
    },
    changed: (productId) => forget(`${productId}\n`),
    async findSource(productId, wanted) {
      const key = [productId, wanted.map.id, ...wanted.paths].join('\n')
      const known = texts.get(key)
      if (known !== undefined) return known.source
      const started = epoch
      const source = await readSource(db.read, productId, wanted)
      if (started === epoch) texts.set(key, { source }, 300 + 2 * key.length)
      return source
    },
  }
}

/** The index of a product without artifacts. */
export const emptyIndex: Pick<ArtifactIndex, 'match' | 'findSource'> = {
  match(build, files) {
    const match = createMatcher({ artifacts: [], maps: 0 }, build)
    return Promise.resolve(new Map(files.map((file) => [file.key, match(file)])))
  },
  findSource: () => Promise.resolve(undefined),
}

/** Artifacts by debug id and by release and base name, and the counterparts that these name. */
async function readArtifacts(rows: Rows, { productId, release }: Build, files: readonly FrameFile[]) {
  const debugIds = [...new Set(files.map(({ debugId }) => debugId))].filter((id) => id !== '')
  const names = release === '' ? [] : [...new Set(files.flatMap(({ baseNames }) => baseNames))]
  const found = [
    ...(await readByDebugId(rows, productId, debugIds)),
    ...(await readByName(rows, productId, [release], names)),
  ]
  const isKnown = ({ path, release: other }: { path: string; release: string }) =>
    other === release && names.includes(baseName(path))
  const halves = found
    .map((artifact) => ({ path: artifact.counterpart, release: artifact.release }))
    .filter((half) => half.path !== '' && !isKnown(half))
  const further = await readByName(rows, productId, distinctReleases(halves), [
    ...new Set(halves.map(({ path }) => baseName(path))),
  ])
  return [...found, ...further]
}

function distinctReleases(halves: readonly { release: string }[]): string[] {
  return [...new Set(halves.map((half) => half.release))]
}

async function readByDebugId(rows: Rows, productId: number, debugIds: readonly string[]): Promise<Artifact[]> {
  if (debugIds.length === 0) return []
  return (
    rows
      .selectFrom('sourcemap_artifact')
      .select(columns)
      .where('product_id', '=', productId)
      .where('debug_id', 'in', debugIds)
      .where('kind', '<>', 'source')
      // Lets the database use the index of artifacts with a debug id.
      .where('debug_id', '<>', '')
      .orderBy('id', 'desc')
      .limit(MOST_ROWS)
      .execute()
  )
}

async function readByName(rows: Rows, productId: number, releases: readonly string[], names: readonly string[]) {
  if (names.length === 0) return []
  return rows
    .selectFrom('sourcemap_artifact')
    .select(columns)
    .where('product_id', '=', productId)
    .where('release', 'in', releases)
    .where('base_name', 'in', names)
    .where('kind', '<>', 'source')
    .orderBy('id', 'desc')
    .limit(MOST_ROWS)
    .execute()
}

/** In the map's own upload first, then in its release, of its dist before others; of equal ones the newest. */
async function readSource(rows: Rows, productId: number, { map, paths }: WantedSource) {
  const found = await rows
    .selectFrom('sourcemap_artifact')
    .select(['content', 'path', 'dist', 'sourcemap_id'])
    .where('product_id', '=', productId)
    .where('kind', '=', 'source')
    .where('release', '=', map.release)
    .where('base_name', 'in', [...new Set(paths.map(baseName))])
    .where('path', 'in', paths)
    .orderBy('id', 'desc')
    .limit(MOST_ROWS)
    .execute()
  const isOwn = (row: { sourcemap_id: string }) => row.sourcemap_id === map.sourcemap_id
  const usable = found.filter((row) => isOwn(row) || (map.release !== '' && (row.dist === '' || row.dist === map.dist)))
  const [best] = usable.toSorted(
    (left, right) =>
      Number(isOwn(right)) - Number(isOwn(left)) ||
      Number(right.dist === map.dist) - Number(left.dist === map.dist) ||
      paths.indexOf(left.path) - paths.indexOf(right.path),
  )
  return best && { content: best.content, sourcemapId: best.sourcemap_id }
}

async function readRelease(rows: Rows, productId: number, release: string): Promise<ReleaseFacts> {
  const maps = rows
    .selectFrom('sourcemap_artifact')
    .where('product_id', '=', productId)
    .where('release', '=', release)
    .where('kind', '=', 'map')
  const counted = await maps.select((eb) => eb.fn.countAll<number>().as('maps')).executeTakeFirstOrThrow()
  const odd = await maps
    .select(columns)
    .where('counterpart', '<>', '')
    .where((eb) => eb('path', '<>', eb(eb.ref('counterpart'), '||', '.map')))
    .orderBy('id', 'desc')
    .limit(MOST_ODD_MAPS)
    .execute()
  return { maps: counted.maps, odd }
}

/** Newest first, without duplicates. */
function newestFirst(artifacts: readonly Artifact[]): Artifact[] {
  const byId = new Map(artifacts.map((artifact) => [artifact.id, artifact]))
  return [...byId.values()].toSorted((left, right) => right.id - left.id)
}
