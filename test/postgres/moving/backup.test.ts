import { copyFileSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import type { Prepare, Rows } from '../../../src/service/sql/database.ts'
import { copyIntoSqlite } from '../../../src/service/sql/moving/into-sqlite.ts'
import { openDatabase } from '../../../src/service/sql/open/index.ts'
import { tracegate, type Ran } from '../../cli/run.ts'
import { readAnswers } from './answers.ts'
import { ask, copyLoaded, copyMoved, emptyDatabase, newFolder } from './loaded.ts'

// Hundreds of answers are read several times.
vi.setConfig({ testTimeout: 90_000 })
afterAll(() => vi.resetConfig())

function onServer(url: string, ...args: string[]): Promise<Ran> {
  return tracegate(args, { TRACEGATE_DATABASE_URL: url })
}

test('a backup of PostgreSQL is restored into SQLite, and into PostgreSQL, with the same answers', async () => {
  const { dataDir, answers, url } = await copyMoved()
  const file = join(newFolder(), 'backup.zip')
  const backed = await onServer(url, 'backup', file, '--data', dataDir)
  expect(backed).toMatchObject({ code: 0, stderr: expect.stringContaining('100 % of all') as string })
  const inDirectory = newFolder()
  expect((await tracegate(['restore', file, '--data', inDirectory])).code).toBe(0)
  copyFileSync(join(dataDir, 'token'), join(inDirectory, 'token'))
  expect(await readAnswers({ dataDir: inDirectory })).toEqual(answers)
  const [other, folder] = [await emptyDatabase(), newFolder()]
  expect((await onServer(other, 'restore', file, '--data', folder)).code).toBe(0)
  copyFileSync(join(dataDir, 'token'), join(folder, 'token'))
  expect(await readAnswers({ dataDir: folder, databaseUrl: other })).toEqual(answers)
})

test('source maps go into the database, and from there into a backup that another machine makes', async () => {
  const { dataDir, url } = await copyMoved()
  const maps = readdirSync(join(dataDir, 'sourcemaps')).toSorted()
  expect(maps.length).toBeGreaterThan(0)
  expect(await ask(url, "SELECT name FROM stored_file WHERE folder = 'sourcemaps' ORDER BY name")).toEqual(
    maps.map((name) => ({ name })),
  )
  const [file, target] = [join(newFolder(), 'backup.zip'), newFolder()]
  expect((await onServer(url, 'backup', file, '--data', newFolder())).code).toBe(0)
  expect((await tracegate(['restore', file, '--data', target])).code).toBe(0)
  for (const name of maps)
    expect(readFileSync(join(target, 'sourcemaps', name)).equals(readFileSync(join(dataDir, 'sourcemaps', name)))).toBe(
      true,
    )
})

test('a backup of SQLite is restored into PostgreSQL', async () => {
  const { dataDir, answers } = await copyLoaded()
  const [url, file, target] = [await emptyDatabase(), join(newFolder(), 'backup.zip'), newFolder()]
  expect((await tracegate(['backup', file, '--data', dataDir])).code).toBe(0)
  expect((await onServer(url, 'restore', file, '--data', target)).code).toBe(0)
  copyFileSync(join(dataDir, 'token'), join(target, 'token'))
  expect(await readAnswers({ dataDir: target, databaseUrl: url })).toEqual(answers)
})

test('a restore into PostgreSQL is completed where a killed process with the same number has left its copy', async () => {
  const { dataDir, answers } = await copyLoaded()
  const [url, file, target] = [await emptyDatabase(), join(newFolder(), 'backup.zip'), newFolder()]
  expect((await tracegate(['backup', file, '--data', dataDir])).code).toBe(0)
  // As a process that is killed leaves it: committed, and not merged yet. In a container each process has the same number.
  const half = join(newFolder(), 'half')
  const connection = new DatabaseSync(half)
  onTestFinished(() => connection.close())
  connection.exec('PRAGMA page_size = 4096; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0')
  connection.exec(`CREATE TABLE other (text TEXT); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
    INSERT INTO other SELECT hex(randomblob(2000)) FROM n`)
  for (const end of ['', '-wal']) copyFileSync(half + end, join(target, `restoring-${String(process.pid)}.db${end}`))
  expect(await onServer(url, 'restore', file, '--data', target)).toMatchObject({ code: 0 })
  copyFileSync(join(dataDir, 'token'), join(target, 'token'))
  expect(await readAnswers({ dataDir: target, databaseUrl: url })).toEqual(answers)
})

test('what a backup or a restore of a server that was killed has left in the data directory goes with a later one', async () => {
  const { dataDir, url } = await copyMoved()
  const leave = (day: number) => {
    for (const end of ['file', 'db', 'db-journal']) {
      const left = join(dataDir, `${end === 'file' ? 'backup' : 'restoring'}-7${String(day)}.${end}`)
      writeFileSync(left, 'left')
      if (day > 0) utimesSync(left, 0, 0)
    }
  }
  leave(0)
  leave(1)
  const left = () => readdirSync(dataDir).filter((name) => /^(?:backup|restoring)-/.test(name))
  const file = join(newFolder(), 'backup.zip')
  expect((await onServer(url, 'backup', file, '--data', dataDir)).code).toBe(0)
  expect(left()).toEqual(['backup-70.file', 'restoring-70.db', 'restoring-70.db-journal'])
  leave(1)
  expect((await onServer(await emptyDatabase(), 'restore', file, '--data', dataDir)).code).toBe(0)
  expect(left()).toEqual(['backup-70.file', 'restoring-70.db', 'restoring-70.db-journal'])
})

test('a disk that is full while a backup of PostgreSQL is made is that of the backup', async () => {
  const { url } = await copyMoved()
  const file = join(newFolder(), 'copy.db')
  const fill = async (_: Rows, prepare: Prepare) => {
    // SQLite then answers as on a full disk.
    await prepare('PRAGMA max_page_count = 1').get()
    const insert = prepare(`INSERT INTO used_key (key, expires_at) VALUES (hex(randomblob(4000)), 1)`)
    for (;;) await insert.run()
  }
  await expect(copyIntoSqlite({ url, file, indexTexts: fill })).rejects.toThrow(
    `the disk under ${file} is full; make room, then repeat`,
  )
})

test('a backup keeps the order of insertion and the numbers of PostgreSQL', async () => {
  const { dataDir, url } = await copyMoved()
  await ask(url, `SELECT setval(pg_get_serial_sequence('occurrence', 'seq'), 7000)`)
  const [file, target] = [join(newFolder(), 'backup.zip'), newFolder()]
  expect((await onServer(url, 'backup', file, '--data', dataDir)).code).toBe(0)
  expect((await tracegate(['restore', file, '--data', target])).code).toBe(0)
  const connection = new DatabaseSync(join(target, 'tracegate.db'))
  onTestFinished(() => connection.close())
  const audit = connection.prepare('SELECT id FROM audit ORDER BY rowid').all()
  expect(await ask(url, 'SELECT id FROM audit ORDER BY insertion')).toEqual(audit.map((row) => ({ ...row })))
  const number = connection.prepare(`SELECT seq FROM sqlite_sequence WHERE name = 'occurrence'`).get()
  expect(number?.['seq']).toBe(7000)
})

test('a backup is of one moment: what is written meanwhile is not in it', async () => {
  const { dataDir, url } = await copyMoved()
  const db = await openDatabase(url)
  onTestFinished(() => db.close())
  const insert = 'INSERT INTO place (environment_id, release_id) VALUES (?, ?)'
  const file = join(newFolder(), 'backup.zip')
  const backing = db.batch(async (prepare) => {
    await prepare(insert).run('meanwhile', '')
    return onServer(url, 'backup', file, '--data', dataDir)
  })
  expect((await backing).code).toBe(0)
  const target = newFolder()
  expect((await tracegate(['restore', file, '--data', target])).code).toBe(0)
  const connection = new DatabaseSync(join(target, 'tracegate.db'))
  onTestFinished(() => connection.close())
  expect(connection.prepare(`SELECT * FROM place WHERE environment_id = 'meanwhile'`).all()).toEqual([])
})

test('a database with data is not restored into, and none of another version is backed up', async () => {
  const { dataDir, url } = await copyMoved()
  const file = join(newFolder(), 'backup.zip')
  expect((await onServer(url, 'backup', file, '--data', dataDir)).code).toBe(0)
  const refused = await onServer(url, 'restore', file, '--data', newFolder())
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('it has data already') as string })
  await ask(url, `INSERT INTO schema_version VALUES (9999, 'future', 0)`)
  const newer = await onServer(url, 'backup', join(newFolder(), 'newer.zip'), '--data', dataDir)
  expect(newer).toMatchObject({ code: 1, stderr: expect.stringContaining('start the newer program') as string })
})
