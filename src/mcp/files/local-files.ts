import { constants, realpathSync, type BigIntStats, type Dirent } from 'node:fs'
import { lstat, open, opendir, readlink, realpath, type FileHandle } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { collectBytes } from '../../lib/bytes.ts'
import { findByName, type FoundByName } from './find-by-name.ts'
import {
  changed,
  checkSpelling,
  missing,
  missingOr,
  notAFile,
  outsideRoots,
  refuseOpening,
  tooLarge,
  tooMany,
} from './local-file-errors.ts'
import { TeachingError } from '../result/teach.ts'

/** Files of this machine inside the allowed roots (mcp §8.3). */
export interface LocalFiles {
  /** Absolute, without links. */
  roots: readonly string[]
  /** Whether a path, such as a repository path relative to a root, is a file inside a root; reads nothing. */
  exists(path: string): Promise<boolean>
  /**
   * Reads the whole file at the caller's path, absolute or relative to a root. Throws `TeachingError` if it is outside the
   * roots, missing, or larger than `maxBytes`.
   */
  read(path: string, limits: { maxBytes: number }): Promise<LocalFile>
  /** The same in chunks; the file is open from the first chunk to the last. */
  chunks(path: string, limits: { maxBytes: number }): AsyncGenerator<Uint8Array>
  /** The files below the roots with one of the base names, within limits of entries and time. */
  find(baseNames: ReadonlySet<string>): Promise<FoundByName>
  /** Lists the file at a path, or every wanted file below a folder, without reading; the same errors. */
  list(path: string, limits: ListLimits): Promise<Listed>
}

export interface LocalFile {
  /** Relative to its root, with `/`. */
  path: string
  bytes: Uint8Array
}

export interface ListLimits {
  /** Throws if there are more wanted files. */
  maxFiles: number
  /** Selects files by path relative to the folder; default: all. */
  wanted?: (path: string) => boolean
}

export interface Listed {
  /** Whether the path was a folder. */
  isFolder: boolean
  /** The name of the file or folder. */
  name: string
  /** Sorted by path, so that the same folder always gives the same list. */
  files: ListedFile[]
  /** Number of regular files that were not wanted. */
  others: number
  /** Number of symbolic links, which are not followed. */
  links: number
}

export interface ListedFile {
  /** Relative to the listed folder, with `/`; the name of a single file. */
  path: string
  /** The absolute path for reading. */
  absolute: string
  sizeBytes: number
}

const CHUNK_BYTES = 256 * 1024
/** Limits of the depth and number of entries of a walk, so that a mistaken `/` ends. */
const MAX_DEPTH = 64
const MAX_ENTRIES = 200_000
/** Installed packages and history, which never contain build output. */
const skippedFolders: ReadonlySet<string> = new Set(['node_modules', '.git'])

// A link as last segment is not followed, and a pipe without a writer does not block the call. Windows has neither flag.
const OPEN_FLAGS =
  constants.O_RDONLY |
  // oxlint-disable-next-line typescript/no-unnecessary-condition -- absent on Windows
  (constants.O_NOFOLLOW ?? 0) |
  // oxlint-disable-next-line typescript/no-unnecessary-condition -- absent on Windows
  (constants.O_NONBLOCK ?? 0)

interface Root {
  given: string
  /** Without links. */
  real: string
}

interface ResolvedPath {
  /** Without links. */
  real: string
  root: string
  stats: BigIntStats
}

/**
 * Reads files below the roots only. A path is resolved to its real path before the file is opened, and the opened file is
 * compared with that path again, so that a link swapped in between is refused. Only regular files are read. `openFile` is
 * for tests of this check.
 */
export function createLocalFiles(folders: readonly string[], { openFile = open } = {}): LocalFiles {
  const roots = folders.map((folder) => resolveRoot(resolve(folder)))

  function rootAround(path: string): Root | undefined {
    return roots.find(({ real }) => isWithin(path, real))
  }

  async function locate(given: string): Promise<ResolvedPath> {
    let outside = true
    for (const path of candidates(given, roots)) {
      const real = await realpath(path).catch(missingOr)
      if (real === undefined) {
        // Must not reveal whether the target of a link outside exists.
        if (await staysWithin(path, roots)) outside = false
        continue
      }
      const root = rootAround(real)
      if (root !== undefined) return { real, root: root.real, stats: await lstat(real, { bigint: true }) }
    }
    throw outside ? outsideRoots(roots.length, given) : missing(given)
  }

  /** Opens a resolved file; the caller closes it. */
  async function openPlace(given: string, place: ResolvedPath, maxBytes: number): Promise<FileHandle> {
    if (!place.stats.isFile()) throw notAFile(given)
    const handle = await openFile(place.real, OPEN_FLAGS).catch((error: unknown) => refuseOpening(error, given))
    try {
      const stats = await handle.stat({ bigint: true })
      if (!stats.isFile()) throw notAFile(given)
      if (!(await isFileAt(handle, stats, place.real))) throw changed(given)
      if (stats.size > maxBytes) throw tooLarge(given, maxBytes)
      return handle
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  async function* readChunks(given: string, place: ResolvedPath, maxBytes: number): AsyncGenerator<Uint8Array> {
    const handle = await openPlace(given, place, maxBytes)
    try {
      let bytes = 0
      for (;;) {
        const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES))
        if (bytesRead === 0) return
        bytes += bytesRead
        // The file may have grown since.
        if (bytes > maxBytes) throw tooLarge(given, maxBytes)
        yield buffer.subarray(0, bytesRead)
      }
    } finally {
      await handle.close()
    }
  }

  return {
    roots: roots.map(({ real }) => real),
    async exists(path) {
      try {
        return (await locate(path)).stats.isFile()
      } catch (error) {
        if (error instanceof TeachingError) return false
        throw error
      }
    },
    find: (baseNames) =>
      findByName(
        roots.map(({ real }) => real),
        baseNames,
      ),
    async read(path, { maxBytes }) {
      const place = await locate(path)
      const bytes = await collectBytes(readChunks(path, place, maxBytes))
      return { path: slashed(relative(place.root, place.real)), bytes }
    },
    async *chunks(path, { maxBytes }) {
      yield* readChunks(path, await locate(path), maxBytes)
    },
    async list(path, limits) {
      const { real, stats } = await locate(path)
      if (stats.isDirectory()) return walk(path, real, limits)
      if (!stats.isFile()) throw notAFile(path)
      const name = basename(real)
      const file = { path: name, absolute: real, sizeBytes: Number(stats.size) }
      return { isFolder: false, name, files: [file], others: 0, links: 0 }
    },
  }
}

function resolveRoot(given: string): Root {
  try {
    return { given, real: realpathSync(given) }
  } catch {
    // The folder does not exist yet; once it does, only real paths below this one are allowed.
    return { given, real: given }
  }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/** The paths that the caller may mean, each spelled inside a root. */
function candidates(given: string, roots: readonly Root[]): string[] {
  checkSpelling(given)
  // If the separator is "/", a path written on Windows is accepted too.
  const spellings = sep === '/' && given.includes('\\') ? [given, given.replaceAll('\\', '/')] : [given]
  const paths = spellings.flatMap((path) =>
    isAbsolute(path) ? [resolve(path)] : roots.map(({ real }) => resolve(real, path)),
  )
  return paths.filter((path) => isSpelledWithin(path, roots))
}

function isSpelledWithin(path: string, roots: readonly Root[]): boolean {
  return roots.some((root) => isWithin(path, root.real) || isWithin(path, root.given))
}

/** For a path that does not exist: whether its existing part is within the roots. */
async function staysWithin(path: string, roots: readonly Root[]): Promise<boolean> {
  for (let at = path; isSpelledWithin(at, roots); at = dirname(at)) {
    if ((await lstat(at).catch(missingOr)) === undefined) continue
    const real = await realpath(at).catch(missingOr)
    return real !== undefined && roots.some((root) => isWithin(real, root.real))
  }
  // Not even the root exists.
  return true
}

/**
 * Whether the open file is the one at a path without links. Resolved again, the path must lead to the same file; Linux also
 * reports the path of an open file, which leaves no moment to swap anything.
 */
async function isFileAt(handle: FileHandle, opened: BigIntStats, path: string): Promise<boolean> {
  const known = await readlink(`/proc/self/fd/${String(handle.fd)}`).catch(() => path)
  const again = await realpath(path).catch(missingOr)
  const now = await lstat(path, { bigint: true }).catch(missingOr)
  return known === path && again === path && now?.ino === opened.ino && now.dev === opened.dev
}

async function walk(given: string, top: string, { maxFiles, wanted = () => true }: ListLimits): Promise<Listed> {
  const listed: Listed = { isFolder: true, name: basename(top), files: [], others: 0, links: 0 }
  const folders = [{ path: top, depth: 0 }]
  let entries = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for await (const entry of readEntries(folder.path)) {
      entries += 1
      if (entries > MAX_ENTRIES || folder.depth > MAX_DEPTH) {
        throw tooMany(given, 'the folder is too large to list')
      }
      const absolute = join(folder.path, entry.name)
      const path = slashed(relative(top, absolute))
      if (entry.isSymbolicLink()) listed.links += 1
      else if (entry.isDirectory() && !skippedFolders.has(entry.name)) {
        folders.push({ path: absolute, depth: folder.depth + 1 })
      } else if (entry.isFile() && !wanted(path)) listed.others += 1
      else if (entry.isFile()) {
        const stats = await lstat(absolute).catch(missingOr)
        if (stats?.isFile() === true) listed.files.push({ path, absolute, sizeBytes: stats.size })
        if (listed.files.length > maxFiles) {
          throw tooMany(given, `the folder contains more than ${String(maxFiles)} files`)
        }
      }
    }
  }
  listed.files.sort((one, other) => (one.path < other.path ? -1 : 1))
  return listed
}

/** The entries of a folder; none if it is gone, unreadable or has been swapped for a link. */
async function* readEntries(folder: string): AsyncGenerator<Dirent> {
  const opened = await opendir(folder).catch(missingOr)
  if (opened === undefined) return
  if ((await realpath(folder).catch(missingOr)) === folder) yield* opened
  else await opened.close()
}

function slashed(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/')
}
