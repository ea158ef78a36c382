import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { readSourceMap } from '../../../../../src/service/errors/sourcemaps/format/read.ts'
import {
  openMapTable,
  writeMapTable,
  type MapTable,
} from '../../../../../src/service/errors/sourcemaps/table/map-table.ts'

/** A folder that is gone after the test. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'tracegate-table-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** Writes the table of the map; returns its file. */
export function written(text: string, file = join(folder(), 'table')): string {
  writeMapTable(readSourceMap(text), file)
  return file
}

/** The table of the map, written and opened, closed after the test. */
export function opened(text: string): MapTable {
  const table = openMapTable(written(text))
  onTestFinished(() => table.close())
  return table
}
