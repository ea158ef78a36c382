import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sql } from 'kysely'
import { openSqlite } from '../../../src/service/sql/sqlite/sqlite.ts'
import { changedTable } from '../../../src/service/sql/sqlite/table-changes.ts'

const touch = (table: string) => `UPDATE ${table} SET id = id`

async function open() {
  const folder = mkdtempSync(join(tmpdir(), 'tracegate-tables-'))
  const file = join(folder, 'tracegate.db')
  const db = await openSqlite(file)
  onTestFinished(async () => {
    await db.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { db, file, state: () => db.read.tableState?.(['test', 'test_run']) }
}

test('the state of tables is another one after a commit that changes one of them, by either kind of statement', async () => {
  const { db, state } = await open()
  const states = [state()]
  await db.batch((prepare) => prepare(touch('test')).run())
  states.push(state())
  await db.write((rows) => rows.updateTable('test_run').set({ commit_sha: 'a' }).execute())
  states.push(state())
  await db.write((rows) => sql`DELETE FROM test WHERE id = 'one'`.execute(rows))
  states.push(state())
  await db.batch((prepare) => prepare(`${touch('test')} RETURNING id`).all())
  states.push(state())
  expect(new Set(states).size).toBe(states.length)
})

test('the state of tables stays over commits of other tables, reads, and transactions that are rolled back', async () => {
  const { db, state } = await open()
  const before = state()
  await db.batch((prepare) => prepare(touch('release')).run())
  await db.write((rows) => rows.selectFrom('test').selectAll().execute())
  const failed = db.batch(async (prepare) => {
    await prepare(touch('test')).run()
    throw new Error('no')
  })
  await expect(failed).rejects.toThrow('no')
  await db.batch((prepare) => prepare(touch('release')).run())
  expect(state()).toBe(before)
})

test('the state of tables is another one after any commit of another connection', async () => {
  const { db, file, state } = await open()
  const other = await openSqlite(file)
  const before = state()
  const workspace = { id: 'one', slug: 'one', name: 'one', created_at: 1, updated_at: 1 }
  await other.write((rows) => rows.insertInto('workspace').values(workspace).execute())
  const after = state()
  expect(after).not.toBe(before)
  // Its own commits do not hide those of others.
  await db.batch((prepare) => prepare(touch('test')).run())
  expect(new Set([before, after, state()]).size).toBe(3)
  await other.close()
})

test.each([
  ['INSERT INTO test (id) VALUES (?)', 'test'],
  ['insert or ignore into "test_run" ("id") values (?)', 'test_run'],
  ['\n  UPDATE test SET title = ?', 'test'],
  ['UPDATE OR REPLACE test SET title = ?', 'test'],
  ['REPLACE INTO test VALUES (?)', 'test'],
  ['delete from "test" where "id" = ?', 'test'],
  ['SELECT * FROM test', undefined],
  ['WITH one AS (SELECT 1) SELECT * FROM one', undefined],
  ['WITH one AS (SELECT 1) INSERT INTO test SELECT * FROM one', '*'],
  ['with "one" as (select 1) update "test" set "title" = 1', '*'],
  ['DROP TABLE test', '*'],
])('%s changes %s', (statement, table) => {
  expect(changedTable(statement)).toBe(table)
})
