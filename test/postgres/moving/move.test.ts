import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { indexTexts } from '../../../src/service/start/index-texts.ts'
import { openDatabase } from '../../../src/service/sql/open/index.ts'
import { copyIntoPostgres } from '../../../src/service/sql/moving/into-postgres.ts'
import type { CopyProgress } from '../../../src/service/sql/moving/progress.ts'
import { lockSource } from '../../../src/service/sql/moving/source.ts'
import { publishedCommand } from '../../cli/published.ts'
import { tracegate } from '../../cli/run.ts'
import { bareEnvironment } from '../../serve.ts'
import { readAnswers } from './answers.ts'
import { ask, copyLoaded, emptyDatabase, loaded, newFolder } from './loaded.ts'

// Hundreds of answers are read several times.
vi.setConfig({ testTimeout: 90_000 })
afterAll(() => vi.resetConfig())

/** A move that stops at a share of all rows. */
async function stopAt(percent: number, { dataDir, url }: { dataDir: string; url: string }): Promise<CopyProgress[]> {
  const source = lockSource(join(dataDir, 'tracegate.db'))
  const stop = new AbortController()
  const seen: CopyProgress[] = []
  const onProgress = (progress: CopyProgress) => {
    seen.push(progress)
    if (progress.percent >= percent) stop.abort()
  }
  try {
    const copying = copyIntoPostgres(source, {
      beforeEnd: () => Promise.resolve(),
      url,
      indexTexts,
      onProgress,
      signal: stop.signal,
      rowsPerTransaction: 50,
    })
    await expect(copying).rejects.toThrow('run the same command again')
    return seen
  } finally {
    source.close()
  }
}

/** Writes into the SQLite database, as a service that was started meanwhile. */
function change(dataDir: string, statement: string): void {
  const connection = new DatabaseSync(join(dataDir, 'tracegate.db'))
  connection.exec(statement)
  connection.close()
}

test('after a move the service answers as before, and says what to set', async () => {
  const { dataDir, answers } = await copyLoaded()
  const url = await emptyDatabase()
  const { code, stdout, stderr } = await tracegate(['move', '--to', url, '--data', dataDir])
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringMatching(/rows, 100 % of all/) as string })
  expect(stdout).toMatch(/^Moved [\d,]+ rows\. From now on, start Tracegate with\n {2}TRACEGATE_DATABASE_URL/)
  expect(await readAnswers({ dataDir, databaseUrl: url })).toEqual(answers)
})

test('the database keeps the order of insertion, and gives no number twice', async () => {
  const { dataDir } = await copyLoaded()
  change(dataDir, `UPDATE sqlite_sequence SET seq = 5000 WHERE name = 'occurrence'`)
  const url = await emptyDatabase()
  const { code } = await tracegate(['move', '--to', url, '--data', dataDir])
  expect(code).toBe(0)
  const connection = new DatabaseSync(join(dataDir, 'tracegate.db'), { readOnly: true })
  onTestFinished(() => connection.close())
  for (const table of ['release', 'audit']) {
    const before = connection.prepare(`SELECT id FROM "${table}" ORDER BY rowid`).all()
    expect(await ask(url, `SELECT id FROM "${table}" ORDER BY insertion`)).toEqual(before.map((row) => ({ ...row })))
  }
  expect(await ask(url, `SELECT nextval(pg_get_serial_sequence('occurrence', 'seq')) AS next`)).toEqual([
    { next: '5001' },
  ])
})

test('a move that was interrupted goes on where it was, and until then no service opens the database', async () => {
  const { dataDir, answers } = await copyLoaded()
  const url = await emptyDatabase()
  await stopAt(40, { dataDir, url })
  await expect(openDatabase(url)).rejects.toThrow(/copied into it, or that was interrupted/)
  const seen = await stopAt(70, { dataDir, url })
  expect(seen.findLast(({ rows }) => rows === 0)?.percent).toBeGreaterThanOrEqual(40)
  const { code, stderr } = await tracegate(['move', '--to', url, '--data', dataDir])
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('going on with') as string })
  expect(await readAnswers({ dataDir, databaseUrl: url })).toEqual(answers)
})

test('a process that is killed while it moves leaves nothing that the next one cannot complete', async () => {
  const { dataDir, answers } = await copyLoaded()
  const url = await emptyDatabase()
  const child = spawn(process.execPath, [await publishedCommand(), 'move', '--to', url, '--data', dataDir], {
    env: bareEnvironment(),
  })
  child.stderr.on('data', (text: Buffer) => {
    if (text.toString().includes('rows,')) child.kill('SIGKILL')
  })
  await once(child, 'exit')
  const { code } = await tracegate(['move', '--to', url, '--data', dataDir])
  expect(code).toBe(0)
  expect(await readAnswers({ dataDir, databaseUrl: url })).toEqual(answers)
})

test('after a change of the source, an interrupted move begins again', async () => {
  const { dataDir } = await copyLoaded()
  const url = await emptyDatabase()
  await stopAt(60, { dataDir, url })
  change(dataDir, `UPDATE workspace SET name = 'Renamed'`)
  const { code, stderr } = await tracegate(['move', '--to', url, '--data', dataDir])
  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('the data has changed since') as string,
  })
  expect(await ask(url, 'SELECT name FROM workspace')).toEqual([{ name: 'Renamed' }])
})

test('rows that someone else has changed in the copy are found, and the next move begins again', async () => {
  const { dataDir, answers } = await copyLoaded()
  const url = await emptyDatabase()
  await stopAt(60, { dataDir, url })
  await ask(url, `UPDATE audit SET id = 'other' WHERE insertion = 1`)
  const refused = await tracegate(['move', '--to', url, '--data', dataDir])
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('table audit differs') as string })
  await expect(openDatabase(url)).rejects.toThrow('interrupted')
  expect((await tracegate(['move', '--to', url, '--data', dataDir])).code).toBe(0)
  expect(await readAnswers({ dataDir, databaseUrl: url })).toEqual(answers)
})

test('a source that is damaged, or a folder of it that cannot be read, is named, and the server is not blamed', async () => {
  const { dataDir } = await copyLoaded()
  const file = join(dataDir, 'tracegate.db')
  const uploads = join(dataDir, 'uploads')
  rmSync(uploads, { recursive: true, force: true })
  writeFileSync(uploads, 'no folder')
  const args = ['move', '--to', await emptyDatabase(), '--data', dataDir]
  expect(await tracegate(args)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`tracegate: ${uploads} cannot be read: `) as string,
  })
  change(dataDir, 'VACUUM')
  const bytes = readFileSync(file)
  // Pages in the middle: the file opens.
  for (let page = 20; page < bytes.length / 4096; page += 1) bytes.fill(0x58, page * 4096, page * 4096 + 200)
  writeFileSync(file, bytes)
  const { code, stderr } = await tracegate(args)
  expect({ code, stderr }).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`tracegate: the database ${file} cannot be used: it is damaged`) as string,
  })
})

test('text with NUL arrives with U+FFFD in its place', async () => {
  const { dataDir } = await copyLoaded()
  change(dataDir, `UPDATE workspace SET name = 'a' || char(0) || 'b'`)
  const url = await emptyDatabase()
  expect((await tracegate(['move', '--to', url, '--data', dataDir])).code).toBe(0)
  expect(await ask(url, 'SELECT name FROM workspace')).toEqual([{ name: 'a\u{fffd}b' }])
})

test('a database that another process has open is not moved, nor is it opened while it is', async () => {
  const { dataDir } = await copyLoaded()
  const file = join(dataDir, 'tracegate.db')
  const server = await openDatabase(file)
  expect(() => lockSource(file, { busyTimeoutMs: 20 })).toThrow(/is in use: stop the server/)
  await server.close()
  const source = lockSource(file)
  const other = new DatabaseSync(file)
  expect(() => other.exec('BEGIN IMMEDIATE')).toThrow('locked')
  other.close()
  // What this process allows itself says nothing about others.
  const write = `new (require('node:sqlite').DatabaseSync)(process.argv[1]).exec("UPDATE workspace SET name = 'late'")`
  const late = spawnSync(process.execPath, ['-e', write, file], { encoding: 'utf8' })
  expect(late).toMatchObject({ status: 1, stderr: expect.stringContaining('database is locked') as string })
  source.close()
})

test.each([
  [
    'has data already',
    'CREATE TABLE schema_version (version bigint); CREATE TABLE a (b int); INSERT INTO a VALUES (1)',
  ],
  ['has tables of another program', 'CREATE TABLE orders (id int)'],
])('a database that %s is refused', async (why, statement) => {
  const { dataDir } = await loaded()
  const url = await emptyDatabase()
  await ask(url, statement)
  const { code, stderr } = await tracegate(['move', '--to', url, '--data', dataDir])
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(why) as string })
  expect(stderr).toContain('create an empty one')
})

test('what is missing is named', async () => {
  const dataDir = newFolder()
  const nothing = await tracegate(['move', '--to', 'postgres://localhost/x', '--data', dataDir])
  expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining('there is no database in') as string })
  const nowhere = await tracegate(['move', '--data', dataDir])
  expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('--to: name') as string })
})
