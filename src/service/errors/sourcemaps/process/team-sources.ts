import { repoPath, type RepositoryRoots } from '../../../workspace/components/repo-path.ts'
import { isLibrarySource, sourcePath } from '../source-path.ts'

/** No more are kept: repositories have fewer files. */
const MOST_SOURCES = 20_000

/** The sources of all maps of an upload as repository paths, without duplicates and without libraries. */
export interface SourcePaths {
  add(names: readonly (string | null)[], mapPath: string): void
  all(): string[]
}

/** Collects the repository paths that members make known by uploading maps (contract §10.5). */
export function createSourcePaths(roots: RepositoryRoots): SourcePaths {
  const paths = new Set<string>()
  return {
    add(names, mapPath) {
      for (const name of names) {
        if (paths.size >= MOST_SOURCES) return
        const path = name === null ? '' : teamPath(name, mapPath, roots)
        if (path !== '') paths.add(path)
      }
    },
    all: () => [...paths],
  }
}

/** The repository path of a source of a map; '' for a library and for what is no file. */
export function teamPath(name: string, mapPath: string, roots: RepositoryRoots): string {
  const filename = sourcePath(name, mapPath)
  if (filename === '' || isLibrarySource(name, filename)) return ''
  return repoPath({ filename, abs_path: '' }, roots)
}
