import * as fc from 'fast-check'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../../src/service/sql/database.ts'
import { openNewDatabase } from '../../postgres/databases.ts'
import { tries } from '../../property-tries.ts'

async function open(): Promise<Database> {
  const folder = mkdtempSync(join(tmpdir(), 'tracegate-each-'))
  const { db } = await openNewDatabase(folder)
  onTestFinished(async () => {
    await db.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return db
}

const insert = 'INSERT INTO place (environment_id, release_id) VALUES (?, ?)'
const find = 'SELECT id, release_id FROM place WHERE environment_id = ?'
const rename = 'UPDATE place SET release_id = ?1 WHERE environment_id = ?3 AND id < ?2'
/** More than one statement of a server inserts. */
const MANY = 213

test('rows that are inserted together get numbers in their order', async () => {
  const db = await open()
  const names = Array.from({ length: MANY }, (_, index) => `environment ${index}`)
  const numbers = await db.batch((prepare) => prepare(insert).insertEach(names.map((name) => [name, ''])))
  const rows = await db.read.selectFrom('place').select(['id', 'environment_id']).orderBy('id').execute()
  expect(rows.map(({ environment_id: name }) => name)).toEqual(names)
  expect(rows.map(({ id }) => id)).toEqual(numbers)
})

test('statements for several lists do what they do for one after the other, whatever texts they get', async () => {
  const db = await open()
  const special = fc.constantFrom('', 'NULL', '{}', '"', '\\', ',', "it's", 'a"b\\c{d}', '\n', '$1', '?', 'é', '𝄞')
  const name = fc.oneof(special, fc.string({ unit: 'grapheme' }))
  const names = fc.uniqueArray(name, { minLength: 1, maxLength: 12, selector: stored })
  await fc.assert(
    fc.asyncProperty(names, fc.array(name, { maxLength: 6 }), name, async (present, asked, other) => {
      await db.batch(async (prepare) => {
        const each = <T>(lists: string[], run: (value: string) => Promise<T>) => Promise.all(lists.map(run))
        const numbers = await prepare(insert).insertEach(present.map((value) => [value, '']))
        const lists = [...present, ...asked, ...present]
        const one = (value: string) => prepare(find).get<{ id: number; release_id: string }>(value)
        expect(await prepare(find).getEach(lists.map((value) => [value]))).toEqual(await each(lists, one))

        const highest = Math.max(...numbers)
        await prepare(rename).sendEach(present.map((value) => [other + value, highest, value]))
        const expected = present.map((value, at) => ({
          release_id: at === present.length - 1 ? '' : stored(other + value),
        }))
        expect(await each(present, one)).toMatchObject(expected)
        await prepare('DELETE FROM place').run()
      })
    }),
    { numRuns: tries(100) },
  )
})

test('no list is no work', async () => {
  const db = await open()
  await db.batch(async (prepare) => {
    expect(await prepare(insert).insertEach([])).toEqual([])
    expect(await prepare(find).getEach([])).toEqual([])
    await prepare(rename).sendEach([])
  })
})

test('a statement for several lists that fails undoes the transaction', async () => {
  const db = await open()
  const twice = db.batch(async (prepare) => {
    await prepare(insert).insertEach([['one', '']])
    await prepare('INSERT INTO place (id, environment_id, release_id) VALUES (?, ?, ?)').insertEach([
      [7, 'two', ''],
      [7, 'three', ''],
    ])
  })
  await expect(twice).rejects.toThrow(/unique/i)
  expect(await db.read.selectFrom('place').select('id').execute()).toEqual([])
})

/** PostgreSQL has no NUL in texts, and gets another character. */
function stored(text: string): string {
  return text.replaceAll('\0', '�')
}
