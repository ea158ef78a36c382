import { repoPath, type RepositoryRoots } from '../../../workspace/repo-path.ts'
import { isLibrarySource, sourcePath } from '../source-path.ts'

/** More are not kept: a repository's own files are fewer. */
const MOST_SOURCES = 20_000

/** The sources of all maps of an upload as paths of the repository, each once, without those of libraries. */
export interface SourcePaths {
  add(names: readonly (string | null)[], mapPath: string): void
  all(): string[]
}

/** Collects the paths that a member gives by uploading maps with such sources (contract §10.5). */
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

function teamPath(name: string, mapPath: string, roots: RepositoryRoots): string {
  const filename = sourcePath(name, mapPath)
  if (filename === '' || isLibrarySource(name, filename)) return ''
  return repoPath({ filename, abs_path: '' }, roots)
}
