import { join } from 'node:path'
import type { FetchTables } from '../files/fetch-tables.ts'
import { openScopeTable, type ScopeTable } from '../scopes/scope-table.ts'
import { openMapTable, type MapTable } from '../table/map-table.ts'
import { openSourceTable, type SourceTable } from '../table/source-table.ts'
import { Lru, scaled } from './lru.ts'

/** Each open table is an open file and its index in memory. */
const MOST_OPEN = { weight: 64 * 1024 * 1024, entries: 128 }
/** Bytes that an open file costs in addition to its index. */
const BESIDES = 2_048

type Table = MapTable | ScopeTable | SourceTable

/** The tables of artifacts, opened when first asked for. */
export interface OpenTables {
  /** To be called before tables are opened, where they have to be fetched. */
  readonly fetch?: FetchTables | undefined
  /** Throws when there is no such table or it is damaged. Usable until the next `trim`. */
  map(content: string): MapTable
  scopes(content: string): ScopeTable
  source(content: string): SourceTable
  /** Closes the least recently used tables beyond the limits, and frees the memory that lookups took. */
  trim(): void
  /** Closes all, so that tables that were written again are read from then on. */
  reopen(): void
  /** Closes all; none can be opened afterwards. */
  close(): void
}

/**
 * Opens the tables of a folder, which are named after their content. `fetch` brings them into the folder; `share` is the
 * part of the usual limits for what stays open.
 */
export function openTables(folder: string, fetch?: FetchTables, share = 1): OpenTables {
  const close = (table: Table) => table.close()
  const most = scaled(MOST_OPEN, share)
  const maps = new Lru<MapTable>(most, close)
  const scopes = new Lru<ScopeTable>(most, close)
  const sources = new Lru<SourceTable>(most, close)
  const used = new Set<Table>()
  let closed = false

  function opened<T extends Table>(kept: Lru<T>, content: string, open: (file: string) => T): T {
    const known = kept.get(content)
    // An event that is still being processed would leave its files open.
    if (known === undefined && closed) throw new Error('the tables are closed')
    const table = known ?? open(join(folder, content))
    if (known === undefined) kept.set(content, table, table.bytes + BESIDES)
    used.add(table)
    return table
  }

  function reopen(): void {
    used.clear()
    maps.clear()
    scopes.clear()
    sources.clear()
  }

  return {
    fetch,
    map: (content) => opened(maps, content, openMapTable),
    scopes: (content) => opened(scopes, content, openScopeTable),
    source: (content) => opened(sources, content, openSourceTable),
    trim() {
      for (const table of used) table.rest()
      used.clear()
      maps.trim()
      scopes.trim()
      sources.trim()
    },
    reopen,
    close() {
      closed = true
      reopen()
    },
  }
}
