import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Database, Prepare } from '../../../src/service/sql/database.ts'
import { dryRun } from '../../../src/service/rest/dry-run.ts'
import { openSqlite } from '../../../src/service/sql/sqlite/sqlite.ts'

let folder: string
let db: Database

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tracegate-sql-'))
  db = await openSqlite(join(folder, 'tracegate.db'))
})

afterEach(async () => {
  await db.close()
  await rm(folder, { recursive: true })
})

const add = (prepare: Prepare, id: string) =>
  prepare('INSERT INTO workspace (id, slug, name, created_at, updated_at) VALUES (?, ?, ?, 1, 1)').run(id, id, id)
const names = async () =>
  (await db.read.selectFrom('workspace').select('id').orderBy('id').execute()).map((row) => row.id)

function keepBusy(ms: number) {
  const end = performance.now() + ms
  while (performance.now() < end);
}

/** Keeps the process busy for longer than a slice. */
function useUpSlice() {
  keepBusy(30)
}

test('between two slices other writes run, and what was written before them is committed', async () => {
  const seen: string[][] = []
  let other: Promise<unknown> | undefined
  await db.writeInSlices(async (_rows, prepare, pause) => {
    await add(prepare, 'a')
    other = db.batch((own) => add(own, 'b'))
    await pause()
    seen.push(await names())
    useUpSlice()
    await pause(async () => void (await add(prepare, 'c')))
    seen.push(await names())
    await add(prepare, 'd')
  })
  await other
  expect(seen).toEqual([[], ['a', 'b', 'c']])
  expect(await names()).toEqual(['a', 'b', 'c', 'd'])
})

test('the rest of the process runs before a slice is used up', async () => {
  const done: string[] = []
  await db.writeInSlices(async (_rows, prepare, pause) => {
    await add(prepare, 'a')
    setImmediate(() => done.push('other work'))
    keepBusy(4)
    await pause()
    done.push('the next statement')
  })
  expect(done).toEqual(['other work', 'the next statement'])
})

test('work that fails loses its last slice only, and the next write works', async () => {
  const failed = db.writeInSlices(async (_rows, prepare, pause) => {
    await add(prepare, 'kept')
    useUpSlice()
    await pause()
    await add(prepare, 'lost')
    throw new Error('broken')
  })
  await expect(failed).rejects.toThrow('broken')
  await db.batch((prepare) => add(prepare, 'next'))
  expect(await names()).toEqual(['kept', 'next'])
})

test('what fails before a commit is rolled back with its slice', async () => {
  const failed = db.writeInSlices(async (_rows, prepare, pause) => {
    await add(prepare, 'lost')
    useUpSlice()
    await pause(() => Promise.reject(new Error('not consistent')))
  })
  await expect(failed).rejects.toThrow('not consistent')
  expect(await names()).toEqual([])
})

test('a dry run in slices keeps nothing, and lets the process go on', async () => {
  let turns = 0
  const result = await dryRun(db).writeInSlices(async (_rows, prepare, pause) => {
    setImmediate(() => (turns += 1))
    await add(prepare, 'a')
    useUpSlice()
    await pause()
    return turns
  })
  expect(result).toBe(1)
  expect(await names()).toEqual([])
})
