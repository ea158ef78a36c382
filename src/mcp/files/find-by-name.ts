import type { Dirent } from 'node:fs'
import { readdir, realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { missingOr } from './local-file-errors.ts'

/** Limits of one search, which a tool call waits for. */
export interface FindLimits {
  /** Files and folders that are looked at. */
  entries: number
  ms: number
}

export interface FoundByName {
  /** Relative to their root, with `/`. */
  paths: string[]
  /** Whether all folders were read; else a limit ended the search. */
  isComplete: boolean
}

const usual: FindLimits = { entries: 200_000, ms: 2_000 }
const MAX_DEPTH = 64
/** Hold what is installed or built, never what is edited; folders that begin with a dot are left out as well. */
const SKIPPED = new Set(
  'node_modules bower_components vendor target build dist out obj venv __pycache__ site-packages Pods _build deps coverage'.split(
    ' ',
  ),
)
/** Folders that are read at the same time. */
const AT_ONCE = 16

/**
 * Regular files below the roots with one of the base names; reads no contents and follows no links. `roots` are without
 * links. The case of names matters unless `foldCase`.
 */
export async function findByName(
  roots: readonly string[],
  names: ReadonlySet<string>,
  { limits = usual, foldCase = sep === '\\', now = () => performance.now() } = {},
): Promise<FoundByName> {
  const key = (name: string) => (foldCase ? name.toLowerCase() : name)
  const wanted = new Set([...names].map(key))
  const paths: string[] = []
  const end = now() + limits.ms
  let left = limits.entries
  for (const root of outermost(roots)) {
    for await (const { folder, entries } of eachFolder(root)) {
      left -= entries.length
      const found = entries.filter((entry) => entry.isFile() && wanted.has(key(entry.name)) && isPlain(folder))
      paths.push(...found.map(({ name }) => slashed(relative(root, join(folder, name)))))
      if (left <= 0 || now() > end) return { paths, isComplete: false }
    }
  }
  return { paths, isComplete: true }
}

interface Folder {
  folder: string
  entries: Dirent[]
}

/** A folder and those below it, those near the root first: a limit cuts off the deepest. */
async function* eachFolder(root: string): AsyncGenerator<Folder> {
  let folders = [root]
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const below: string[] = []
    for (let from = 0; from < folders.length; from += AT_ONCE) {
      for (const read of await Promise.all(folders.slice(from, from + AT_ONCE).map(readFolder))) {
        yield read
        const inside = read.entries.filter((entry) => entry.isDirectory() && !isSkipped(entry.name))
        below.push(...inside.map(({ name }) => join(read.folder, name)))
      }
    }
    folders = below
  }
}

/** A name with control or invisible characters cannot be shown as it is. */
function isPlain(folder: string): boolean {
  return !/[\p{Cc}\p{Cf}]/u.test(folder)
}

function isSkipped(name: string): boolean {
  return name.startsWith('.') || SKIPPED.has(name)
}

/** A root inside another one would give each of its files twice. */
function outermost(roots: readonly string[]): string[] {
  return roots.filter((root) => !roots.some((other) => other !== root && root.startsWith(other + sep)))
}

/** The entries of a folder; none if it is gone, unreadable or has been swapped for a link. */
async function readFolder(folder: string): Promise<Folder> {
  const entries = (await readdir(folder, { withFileTypes: true }).catch(missingOr)) ?? []
  return { folder, entries: (await realpath(folder).catch(missingOr)) === folder ? entries : [] }
}

function slashed(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/')
}
