import { existsSync, readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { sourceMapFolders } from '../../service/errors/sourcemaps/uploads/folders.ts'

export interface DataFile {
  /** In the data directory, with `/`. */
  name: string
  path: string
}

/**
 * The files of a data directory that a backup holds besides the database: tables of source maps, and uploads that are not
 * confirmed yet. Files that are still being written are left out, and so are the token and the secret: a backup must not let
 * its reader sign in or sign links.
 */
export function dataFiles(dataDir: string): DataFile[] {
  return Object.values(sourceMapFolders(dataDir)).flatMap((folder) => filesIn(dataDir, folder))
}

function filesIn(dataDir: string, folder: string): DataFile[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, name: relative(dataDir, path).split(sep).join('/') }))
    .filter(({ name }) => !name.split('/').some((part) => /\.(?:part|tables)$/.test(part)))
}

/** Whether a name in a backup is that of such a file. */
export function isDataFile(name: string): boolean {
  return /^(?:sourcemaps|uploads)\/(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/.test(name)
}
