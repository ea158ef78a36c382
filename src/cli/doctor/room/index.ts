import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { counted } from '../../../lib/counted.ts'
import { sourceMapFolders } from '../../../service/errors/sourcemaps/uploads/folders.ts'
import { realFile } from '../../../service/sql/sqlite/file-access.ts'
import { plain } from '../../support/finding.ts'
import { sizeText } from '../../files/size-text.ts'
import { readDatabaseRoom, type DatabaseRoom } from './database.ts'
import { FORECAST_DAYS, type Forecast } from '../../../service/errors/issues/retention-forecast.ts'

/** Products that are named. */
const NAMED = 3
const LABEL = 14
const SIZE = 8

/**
 * What takes room in a data directory, in lines to print; none when it has no database. Works while a server uses it.
 * `now` is epoch milliseconds.
 */
export async function roomLines(dataDir: string, now: number): Promise<string[]> {
  const file = join(dataDir, 'tracegate.db')
  if (!existsSync(file) || statSync(file).size === 0) return []
  const room = await readDatabaseRoom(file, now)
  return room === undefined ? [] : describe(room, dataDir)
}

function describe({ kinds, events, issues, products }: DatabaseRoom, dataDir: string): string[] {
  const { uploads, tables } = sourceMapFolders(dataDir)
  const each = events === 0 ? '' : `, ${sizeText(kinds.events / events)} each with what finds them`
  const words: Record<string, string> = {
    events: `${counted(events, 'event')} with their bodies${each}`,
    issues: `${counted(issues, 'issue')} with counters and history`,
    'free pages': 'in the database file; new data fills them before the file grows',
    'source maps': 'tables of uploaded source maps',
    uploads: 'source maps that are not confirmed',
    log: 'written and not merged into the database file',
  }
  const sizes: Record<string, number> = {
    ...kinds,
    'source maps': folderBytes(tables),
    uploads: folderBytes(uploads),
    log: fileBytes(`${realFile(join(dataDir, 'tracegate.db'))}-wal`),
  }
  const total = Object.values(sizes).reduce((sum, bytes) => sum + bytes, 0)
  const rows = Object.entries(sizes)
    .filter(([, bytes]) => bytes > 0)
    .toSorted(([, one], [, other]) => other - one)
    .map(([name, bytes]) => `${name.padEnd(LABEL)}${sizeText(bytes).padStart(SIZE)}  ${words[name] ?? ''}`.trimEnd())
  return [
    '',
    `What takes room, ${sizeText(total)} in all:`,
    ...rows,
    ...productLines(products, events === 0 ? 0 : kinds.events / events),
  ].map(plain)
}

/** The largest products, and what retention will remove of each. */
function productLines(products: readonly Forecast[], bytesEach: number): string[] {
  const largest = products.filter(({ events }) => events > 0).slice(0, NAMED)
  return largest.flatMap(({ name, events, ageing, surplus, retentionDays, mostPerIssue }) => [
    `${name}: ${counted(events, 'event')}, ${sizeText(events * bytesEach)}. Retention will remove ${String(ageing)} by age within ${String(FORECAST_DAYS)} days`,
    `  (its setting retention_days is ${String(retentionDays)}), and ${String(surplus)} beyond ${String(mostPerIssue)} of an issue (max_events_per_issue).`,
  ])
}

function folderBytes(folder: string): number {
  if (!existsSync(folder)) return 0
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + fileBytes(join(parentPath, name)), 0)
}

/** 0 for a file that another process has removed meanwhile. */
function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
