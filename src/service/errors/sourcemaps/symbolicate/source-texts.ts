import type { Database } from '../../../sql/database.ts'
import type { RepositoryRoots } from '../../../workspace/components/repo-path.ts'
import { sourceFilePaths } from '../process/paths.ts'
import { teamPath } from '../process/team-sources.ts'
import type { Artifact } from './match.ts'
import type { ArtifactIndex } from './artifacts.ts'
import type { OpenTables } from './open-tables.ts'

/** Maps of a release that are opened for one file, the newest first. */
const MOST_MAPS = 50
/** A longer source is not read. */
const MOST_LINES = 20_000

/** A file of the repository, as a release was built from it. */
export interface SourceOfRelease {
  productId: number
  release: string
  /** Relative to the repository's root. */
  path: string
  roots: RepositoryRoots
}

/** Reads the text of sources that the maps of a release were uploaded with. */
export function createSourceTexts({ db, index, open }: { db: Database; index: ArtifactIndex; open: OpenTables }) {
  /** The lines of a file in each build of a release that has its text; a damaged table has none. */
  return async (wanted: SourceOfRelease): Promise<string[][]> => {
    const texts: string[][] = []
    for (const map of await mapsWith(db, wanted)) {
      const lines = await readLines(map, wanted).catch(() => undefined)
      open.trim()
      if (lines !== undefined && lines.length < MOST_LINES) texts.push(lines)
    }
    return texts
  }

  async function readLines(map: Artifact, { productId, path, roots }: SourceOfRelease) {
    await open.fetch?.([map.content])
    const table = open.map(map.content)
    const source = table.sources.findIndex(({ name }) => teamPath(name, map.path, roots) === path)
    const name = table.sources[source]?.name
    if (name === undefined) return undefined
    const held = table.lines(source, 0, MOST_LINES)
    if (held !== undefined) return held
    const beside = await index.findSource(productId, { map, paths: sourceFilePaths(name, map.path) })
    if (beside === undefined) return undefined
    await open.fetch?.([beside.content])
    return open.source(beside.content).lines(0, MOST_LINES)
  }
}

async function mapsWith({ read }: Database, { productId, release, path }: SourceOfRelease): Promise<Artifact[]> {
  return read
    .selectFrom('sourcemap_source as source')
    .innerJoin('sourcemap', 'sourcemap.id', 'source.sourcemap_id')
    .innerJoin('sourcemap_artifact as artifact', 'artifact.sourcemap_id', 'source.sourcemap_id')
    .select(['artifact.id', 'artifact.sourcemap_id', 'artifact.kind', 'artifact.content', 'artifact.debug_id'])
    .select(['artifact.release', 'artifact.dist', 'artifact.path', 'artifact.counterpart'])
    .where('source.product_id', '=', productId)
    .where('source.path', '=', path)
    .where('sourcemap.state', '=', 'SOURCEMAP_STATE_READY')
    .where('artifact.kind', '=', 'map')
    .where('artifact.release', '=', release)
    .orderBy('artifact.id', 'desc')
    .limit(MOST_MAPS)
    .execute()
}
