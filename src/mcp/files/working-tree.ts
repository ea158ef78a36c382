import type { LocalFiles } from './local-files.ts'
import { TeachingError } from '../result/teach.ts'

/** The limit of the service (contract §9.3). */
const MOST_FILES = 5000
const PATH_CHARACTERS = 500

/** Whether the path is a glob. */
export function isGlob(path: string): boolean {
  return /[*?[{]/.test(path)
}

/**
 * Paths of the files below the allowed roots, relative to their root: all of them, or in a large tree those in the folders
 * that the globs begin with. Empty if even these are too many. Reads no contents.
 */
export async function workingTree(local: LocalFiles, globs: readonly string[]): Promise<string[]> {
  const whole = await Promise.all(local.roots.map((root) => below(local, root)))
  const paths = whole.every((list) => list !== undefined) ? whole.flat() : await inFolders(local, baseFolders(globs))
  return [...new Set(paths)].filter((path) => path.length <= PATH_CHARACTERS).slice(0, MOST_FILES)
}

/** `src/cart` of `src/cart/**`; a glob that begins with a wildcard has no folder. */
function baseFolders(globs: readonly string[]): string[] {
  const folders = globs.flatMap((glob) => /^([^*?[{]+)\//.exec(glob)?.[1] ?? [])
  return [...new Set(folders)]
}

async function inFolders(local: LocalFiles, folders: readonly string[]): Promise<string[]> {
  const lists = await Promise.all(
    folders.map(async (folder) => ((await below(local, folder)) ?? []).map((path) => `${folder}/${path}`)),
  )
  return lists.flat()
}

/** Paths relative to the folder; undefined if there are too many files or the folder does not exist. */
async function below(local: LocalFiles, folder: string): Promise<string[] | undefined> {
  try {
    const { files } = await local.list(folder, { maxFiles: MOST_FILES })
    return files.map(({ path }) => path)
  } catch (error) {
    if (error instanceof TeachingError) return undefined
    throw error
  }
}
