import type { Rows } from '../../../sql/database.ts'
import { baseName, type FrameFile } from './frame-file.ts'
import type { Artifact } from './match.ts'

/** Rows of one query, the newest first: a release may hold thousands of files called `index.js`. */
const MOST_ROWS = 5_000
/** Maps of one release whose name differs from that of their minified file. */
const MOST_ODD_MAPS = 1_000
/** Maps of a release that are opened for one file, the newest first. */
const MOST_MAPS = 50

const columns = ['id', 'sourcemap_id', 'kind', 'content', 'debug_id', 'release', 'dist', 'path', 'counterpart'] as const

/** The build an event is of. */
export interface Build {
  productId: number
  release: string
  dist: string
}

/** What is known of a release before its files are looked up. */
export interface ReleaseFacts {
  maps: number
  /** Maps that are not found by base name. */
  odd: readonly Artifact[]
}

/** A file of the repository in a release. */
export interface FileOfRelease {
  productId: number
  release: string
  /** Relative to the repository's root. */
  path: string
}

/** A source whose text is not in its map. */
export interface WantedSource {
  map: Artifact
  /** Paths that it may have been uploaded under, the most exact first. */
  paths: readonly string[]
}

/** The table of a source, and the upload that it came with. */
export interface FoundSource {
  content: string
  sourcemapId: string
}

/** Artifacts by debug id and by release and base name, and the counterparts that these name. */
export async function readArtifacts(rows: Rows, { productId, release }: Build, files: readonly FrameFile[]) {
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

/** Maps that were uploaded for a release and name a file of the repository, the newest first. */
export function readMapsWith(rows: Rows, { productId, release, path }: FileOfRelease): Promise<Artifact[]> {
  return rows
    .selectFrom('sourcemap_source as source')
    .innerJoin('sourcemap', 'sourcemap.id', 'source.sourcemap_id')
    .innerJoin('sourcemap_artifact as artifact', 'artifact.sourcemap_id', 'source.sourcemap_id')
    .select(columns.map((column) => `artifact.${column}` as const))
    .where('source.product_id', '=', productId)
    .where('source.path', '=', path)
    .where('sourcemap.state', '=', 'SOURCEMAP_STATE_READY')
    .where('artifact.kind', '=', 'map')
    .where('artifact.release', '=', release)
    .orderBy('artifact.id', 'desc')
    .limit(MOST_MAPS)
    .execute()
}

/** In the map's own upload first, then in its release, of its dist before others; of equal ones the newest. */
export async function readSource(rows: Rows, productId: number, { map, paths }: WantedSource) {
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

/** How many maps a release has, and those that are not found by base name. */
export async function readRelease(rows: Rows, productId: number, release: string): Promise<ReleaseFacts> {
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
