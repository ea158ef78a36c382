import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PreparedLists } from '../../mcp/opening/lists.ts'

/** The published package has them in this file, next to its code; a checkout keeps its own. */
export const LISTS_FILE = 'lists.json'

/** The lists that `tracegate stdio` answers with before it loads the server (decision 071). */
export interface ListStore {
  /** Resolves to undefined when they are not prepared, or not from this code. */
  read(this: void): Promise<PreparedLists | undefined>
  /** Prepares them for the next start. */
  keep(this: void): Promise<void>
}

/** The lists of this program. */
export const preparedLists: ListStore = {
  async read() {
    const published = readPublished()
    if (published !== undefined) return published
    const { readKeptLists } = await import('./kept-lists.ts')
    return readKeptLists()
  },
  async keep() {
    const { keepLists } = await import('./kept-lists.ts')
    await keepLists()
  },
}

function readPublished(): PreparedLists | undefined {
  try {
    return JSON.parse(readFileSync(join(import.meta.dirname, LISTS_FILE), 'utf8')) as PreparedLists
  } catch {
    return undefined
  }
}
