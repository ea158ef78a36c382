import type { RepositoryRoots } from '../../../workspace/components/repo-path.ts'
import { sourceFilePaths } from '../process/paths.ts'
import { teamPath } from '../process/team-sources.ts'
import type { Artifact } from './match.ts'
import type { FileOfRelease } from './artifact-rows.ts'
import type { ArtifactIndex } from './artifacts.ts'
import type { OpenTables } from './open-tables.ts'

/** A longer source is not read. */
const MOST_LINES = 20_000

/** A file of the repository, as a release was built from it. */
export interface SourceOfRelease extends FileOfRelease {
  roots: RepositoryRoots
}

export interface SourceTextsOptions {
  index: Pick<ArtifactIndex, 'mapsWith' | 'findSource'>
  open: OpenTables
}

/** Reads the text of sources that the maps of a release were uploaded with. */
export function createSourceTexts({ index, open }: SourceTextsOptions) {
  /** The lines of a file in each build of a release that has its text; a damaged table has none. */
  return async (wanted: SourceOfRelease): Promise<string[][]> => {
    const texts: string[][] = []
    for (const map of await index.mapsWith(wanted)) {
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
