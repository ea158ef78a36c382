import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { PreparedLists } from '../../mcp/opening/lists.ts'

const root = resolve(import.meta.dirname, '../../..')
const folder = join(root, 'node_modules/.cache/tracegate')
const file = join(folder, 'lists.json')

/** Everything that the lists follow from; `surface` and the import rules of its folders say what that is. */
const sources = [
  'tools',
  'resources',
  'prompts',
  'src/mcp',
  'src/contract',
  'src/client',
  'src/lib',
  'src/config-variables.ts',
  'src/errors.ts',
  'src/surface.ts',
  'package.json',
  'package-lock.json',
]

interface Kept {
  sources: string
  lists: PreparedLists
}

/** The sources before most of them are loaded: lists of code that was written since are neither used nor kept. */
const sourcesAtStart = describeSources()

/** The lists of this checkout; undefined when they were never kept, or any file that they follow from has changed. */
export function readKeptLists(): PreparedLists | undefined {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Kept
    return kept.sources === sourcesAtStart ? kept.lists : undefined
  } catch {
    return undefined
  }
}

/** Prepares the lists and keeps them with the installed packages. Nothing is kept where these are read-only. */
export async function keepLists(): Promise<void> {
  const { prepareLists } = await import('./prepare-lists.ts')
  const lists = await prepareLists()
  if (describeSources() !== sourcesAtStart) return
  const kept: Kept = { sources: sourcesAtStart, lists }
  const written = `${file}.${String(process.pid)}`
  try {
    mkdirSync(folder, { recursive: true })
    writeFileSync(written, JSON.stringify(kept))
    renameSync(written, file)
  } catch {
    // The next start is as slow as this one.
    rmSync(written, { force: true })
  }
}

/** Changes whenever a source is written, added or removed. */
function describeSources(): string {
  return sources.flatMap((path) => describe(join(root, path))).join(' ')
}

function describe(path: string): string[] {
  const stats = statSync(path)
  if (!stats.isDirectory()) return [`${String(stats.mtimeMs)}:${String(stats.size)}`]
  return readdirSync(path).flatMap((name) => [name, ...describe(join(path, name))])
}
