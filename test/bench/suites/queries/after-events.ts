import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Figure, Goal, Table } from '../../harness/suite.ts'
import { copyStoredEvents } from '../../support/stored-events/index.ts'
import type { StoredSize } from '../../support/stored-events/plan.ts'
import { openReader } from './open-reader.ts'
import { pages } from './pages.ts'

const READS = 11
const WARM_UPS = 2

/** Every page after an event, on a copy of stored events: what is kept of issues is read again for the one that changed. */
export async function afterEvents(size: StoredSize, goals: Goal[]): Promise<Table> {
  await using stack = new AsyncDisposableStack()
  const dataDir = mkdtempSync(join(tmpdir(), 'tracegate-bench-'))
  stack.defer(() => rmSync(dataDir, { recursive: true, force: true }))
  const reader = await openReader(await copyStoredEvents(size, dataDir))
  stack.defer(() => reader.close())
  const figures: Figure[] = []
  for (const [table, read] of Object.entries(pages)) {
    for (const page of Object.keys(read)) {
      const values: number[] = []
      for (let at = -WARM_UPS; at < READS; at += 1) {
        const taken = await reader.ask({ table, page, after: 'an event' })
        if (at >= 0) values.push(taken)
      }
      figures.push({ name: page, unit: 'ms', values, goals })
    }
  }
  return { title: `After an event, ${size.occurrences.toLocaleString('en')} occurrences`, figures, notes: [note] }
}

const note = 'Before each read an event of one of 50 issues is recorded, as while a product is in use.'
