import type { Context } from '../../../src/mcp/define/define.ts'
import { changesBetween, isCommit } from '../../../src/mcp/files/git-changes.ts'
import { findImports } from '../../../src/mcp/files/imports.ts'
import type { LocalFiles } from '../../../src/mcp/files/local-files.ts'
import { readLines } from './claims.ts'

/** Crashing files whose imports are followed. */
const FILES = 3
/** Paths that are looked at on disk. */
const MOST_LOOKS = 200
const SHOWN = 5
/** Files of the line to run. */
const LOGGED = 6

export interface Neighbour {
  file: string
  /** `src/cart.ts:3` */
  imported_by: string
  /** Undefined where git cannot tell. */
  changed_in: string | undefined
}

interface Range {
  from: string
  to: string
}

/**
 * Files that the given ones import and that changed between two commits, at most five; without commits, or where git
 * cannot tell, files that the first of them imports.
 */
export async function findNeighbours(
  files: readonly string[],
  range: Range | undefined,
  { local, signal }: Pick<Context, 'local' | 'signal'>,
): Promise<Neighbour[]> {
  if (local === undefined || local.roots.length === 0) return []
  const imported = await importedFiles(files, local)
  if (imported.size === 0) return []
  const changes = range === undefined ? undefined : await changesInRoots(local, range, signal)
  const all = Array.from(imported, ([file, by]) => ({ file, imported_by: by, changed_in: changes?.get(file) }))
  const isLikely = (row: Neighbour) =>
    changes === undefined ? row.imported_by.startsWith(`${files[0] ?? ''}:`) : row.changed_in !== undefined
  return all.filter(isLikely).slice(0, SHOWN)
}

/** The files that exist, with the first line that imports each. */
async function importedFiles(files: readonly string[], local: LocalFiles): Promise<Map<string, string>> {
  const known = new Set(files)
  const found = new Map<string, string>()
  let looks = 0
  for (const file of files.slice(0, FILES)) {
    const lines = (await readLines(file, local)) ?? []
    for (const { line, candidates } of findImports(file, lines.join('\n'))) {
      for (const candidate of candidates.filter(isPlain)) {
        if (known.has(candidate) || found.has(candidate)) break
        looks += 1
        if (looks > MOST_LOOKS) return found
        if (!(await local.exists(candidate))) continue
        found.set(candidate, `${file}:${line}`)
        break
      }
    }
  }
  return found
}

async function changesInRoots({ roots }: LocalFiles, range: Range, signal: AbortSignal) {
  const found = await Promise.all(roots.map((root) => changesBetween(root, range, signal)))
  const known = found.filter((changes) => changes !== undefined)
  return known.length === 0 ? undefined : new Map(known.flatMap((changes) => [...changes]))
}

/** The command that lists the commits which touched the files; undefined without commits or files. */
export function logLine(range: Range | undefined, files: readonly string[]): string | undefined {
  const named = files.filter(isPlain).slice(0, LOGGED)
  if (range === undefined || !isCommit(range.from) || !isCommit(range.to) || named.length === 0) return undefined
  return `git log --oneline ${range.from}..${range.to} -- ${named.join(' ')}`
}

/** A path that needs no quotes in any shell and is no pattern of git's. */
function isPlain(path: string): boolean {
  return /^[\w.@+/-]{1,200}$/.test(path)
}
