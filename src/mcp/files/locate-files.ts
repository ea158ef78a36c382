import { matchSuffix } from '../../lib/frames/path-suffix.ts'
import type { LocalFiles } from './local-files.ts'

/** Paths of one call that are looked for; each costs a look at the disk. */
const MOST_PATHS = 200

/** Where the paths that a result names are in the working tree of this machine (mcp §6.3). */
export interface LocatedFiles {
  /** By path: the file as this machine names it, relative to an allowed root. Paths that are not here are missing. */
  found: ReadonlyMap<string, LocatedFile>
  /** Paths that several files fit equally well. */
  several: ReadonlySet<string>
  /** Whether the whole tree was searched. */
  isComplete: boolean
}

export interface LocatedFile {
  file: string
  /** Whether only the end of the path is the same. */
  byEnd: boolean
}

/**
 * Finds paths, relative with `/`, in the working tree: as they are written, else the one file with the longest end in
 * common. The tree is read at most once, and only for paths that do not exist as written.
 */
export async function locateFiles(local: LocalFiles | undefined, paths: Iterable<string>): Promise<LocatedFiles> {
  const asked = [...new Set(paths)].filter((path) => path !== '').slice(0, MOST_PATHS)
  const found = new Map<string, LocatedFile>()
  const several = new Set<string>()
  if (local === undefined) return { found, several, isComplete: true }
  for (const path of asked) if (await local.exists(path)) found.set(path, { file: path, byEnd: false })
  const missing = asked.filter((path) => !found.has(path))
  if (missing.length === 0) return { found, several, isComplete: true }
  const tree = await local.find(new Set(missing.map(baseName)))
  for (const path of missing) {
    const match = matchSuffix(
      [path],
      tree.paths.filter((file) => isNamed(file, path)),
    )
    if (match?.file !== undefined) found.set(path, { file: match.file, byEnd: true })
    else if (match !== undefined) several.add(path)
  }
  return { found, several, isComplete: tree.isComplete }
}

function isNamed(file: string, path: string): boolean {
  return baseName(file).toLowerCase() === baseName(path).toLowerCase()
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
