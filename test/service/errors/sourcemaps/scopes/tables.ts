import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  openScopeTable,
  type FunctionRange,
  type ScopeTable,
} from '../../../../../src/service/errors/sourcemaps/scopes/scope-table.ts'
import { writeScopeTable } from '../../../../../src/service/errors/sourcemaps/scopes/write-scope-table.ts'

/** Runs with a folder that is removed afterwards. */
export function inFolder<T>(run: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'tracegate-scopes-'))
  try {
    return run(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs with the table of a minified text. */
export function withScopes<T>(minified: string, run: (table: ScopeTable) => T): T {
  return inFolder((folder) => {
    writeScopeTable(minified, join(folder, 'scopes'))
    const table = openScopeTable(join(folder, 'scopes'))
    try {
      return run(table)
    } finally {
      table.close()
    }
  })
}

/** The innermost function around the first occurrence of the marker in the text. */
export function innermostAt(minified: string, marker = 'HERE'): FunctionRange | undefined {
  const before = minified.slice(0, minified.indexOf(marker)).split(/\r\n|[\n\r\u2028\u2029]/)
  return withScopes(minified, (table) => table.innermost(before.length - 1, before.at(-1)?.length ?? 0))
}
