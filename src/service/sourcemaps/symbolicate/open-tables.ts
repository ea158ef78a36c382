import { join } from 'node:path'
import { openScopeTable } from '../scopes/scope-table.ts'
import type { ScopeTable } from '../scopes/scope-table.ts'
import { openMapTable } from '../table/map-table.ts'
import type { MapTable } from '../table/map-table.ts'
import { Lru } from './lru.ts'

/** Each open table is an open file and its index in memory. */
const MOST_OPEN = { weight: 64 * 1024 * 1024, entries: 128 }
/** What an open file costs beside its index. */
const BESIDES = 2_048

/** The tables of artifacts, opened when first asked for. */
export interface OpenTables {
  /** Throws when there is no such table or it is damaged. Usable until the next `trim`. */
  map(content: string): MapTable
  scopes(content: string): ScopeTable
  /** Closes what was not used for longest, over the limits. */
  trim(): void
  close(): void
}

/** Opens tables of a folder, by the content they are named for. */
export function openTables(folder: string): OpenTables {
  const close = (table: MapTable | ScopeTable) => table.close()
  const maps = new Lru<MapTable>(MOST_OPEN, close)
  const scopes = new Lru<ScopeTable>(MOST_OPEN, close)

  function opened<T extends MapTable | ScopeTable>(kept: Lru<T>, content: string, open: (file: string) => T): T {
    const known = kept.get(content)
    if (known !== undefined) return known
    const table = open(join(folder, content))
    kept.set(content, table, table.bytes + BESIDES)
    return table
  }

  return {
    map: (content) => opened(maps, content, openMapTable),
    scopes: (content) => opened(scopes, content, openScopeTable),
    trim() {
      maps.trim()
      scopes.trim()
    },
    close() {
      maps.clear()
      scopes.clear()
    },
  }
}
