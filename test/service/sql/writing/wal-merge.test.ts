import { existsSync } from 'node:fs'
import { mkdtemp, open as openFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSqlite } from '../../../../src/service/sql/sqlite/sqlite.ts'

type Opened = Awaited<ReturnType<typeof open>>

let folder: string
let file: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tracegate-merge-'))
  file = join(folder, 'tracegate.db')
})
afterEach(() => rm(folder, { recursive: true }))

async function open() {
  const db = await openSqlite(file)
  return Object.assign(db, { [Symbol.asyncDispose]: () => db.close() })
}

/** Adds as many rows as are written before the WAL is merged. */
async function addRows(db: Opened, prefix: string, count = 4_000): Promise<void> {
  await db.batch(async (prepare) => {
    const insert = prepare('INSERT INTO activity (subject_id, bucket, count) VALUES (?, ?, 1)')
    for (let row = 0; row < count; row += 1) await insert.run(prefix, row)
  })
}

async function countRows(db: Opened): Promise<number> {
  const { rows } = await db.read
    .selectFrom('activity')
    .select((eb) => eb.fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow()
  return rows
}

/** How often SQLite has begun the WAL again (https://sqlite.org/fileformat2.html#walformat). */
async function beginnings(): Promise<number> {
  await using wal = await openFile(`${file}-wal`)
  const { buffer } = await wal.read(Buffer.alloc(4), 0, 4, 12)
  return buffer.readUInt32BE()
}

test('the log is merged while writes follow each other, and then begins again', async () => {
  await using db = await open()
  const before = await beginnings()
  let written = 0
  for (; (await beginnings()) === before; written += 1) await addRows(db, `a${String(written)}`)
  for (let more = 0; more < 3; more += 1) await addRows(db, `b${String(more)}`, 10)
  // A commit would merge it too, after 16,000 pages: these are 60 for each.
  expect(written).toBeLessThan(200)
  expect(await countRows(db)).toBe(written * 4_000 + 30)
})

test('a database that closes while its log is merged leaves no log behind, and all rows', async () => {
  {
    await using db = await open()
    await addRows(db, 'a')
    void addRows(db, 'b')
  }
  expect(existsSync(`${file}-wal`)).toBe(false)
  await using again = await open()
  expect(await countRows(again)).toBe(8_000)
})
