import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { buffer } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { ZipFile } from 'yazl'
import { expect, onTestFinished, test } from 'vitest'
import { openArchive } from '../../src/cli/archive/read-archive.ts'
import { readMigrations } from '../../src/service/sql/migrations.ts'
import { migrate } from '../../src/service/sql/sqlite/migrate.ts'
import { openDatabase } from '../../src/service/sql/open/index.ts'
import { readAnswers } from '../postgres/moving/answers.ts'
import { copyLoaded, loaded, newFolder } from '../postgres/moving/loaded.ts'
import { tracegate } from './run.ts'

/** A backup of the sample. */
async function backedUp(): Promise<string> {
  const { dataDir } = await loaded()
  const file = join(newFolder(), 'backup.zip')
  expect(await tracegate(['backup', file, '--data', dataDir])).toMatchObject({ code: 0, stderr: '' })
  return file
}

/** Lets another owner's token in the directory be known: that of the first service. */
function takeToken(from: string, to: string): void {
  copyFileSync(join(from, 'token'), join(to, 'token'))
}

/** A file as `tracegate backup` makes it, with another database or other words about it. */
async function madeBackup(database: Uint8Array, said: Record<string, unknown> = {}): Promise<string> {
  const zip = new ZipFile()
  const manifest = {
    format: 'tracegate-backup',
    format_version: 1,
    program: '0.0.0',
    schema_version: 1,
    database: 'sqlite',
    made_at: new Date(0).toISOString(),
    ...said,
  }
  zip.addBuffer(Buffer.from(database), 'tracegate.db')
  zip.addBuffer(Buffer.from(JSON.stringify(manifest)), 'manifest.json')
  zip.end()
  const file = join(newFolder(), 'made.zip')
  writeFileSync(file, await buffer(zip.outputStream))
  return file
}

test('a service on a restored backup answers as the first one, with its source maps', async () => {
  const { dataDir, answers } = await loaded()
  const target = newFolder()
  const { code, stdout } = await tracegate(['restore', await backedUp(), '--data', target])
  expect(code).toBe(0)
  expect(stdout).toContain('The next start makes a new token')
  for (const folder of ['sourcemaps', 'uploads'])
    expect(filesIn(join(target, folder))).toEqual(filesIn(join(dataDir, folder)))
  expect(filesIn(join(target, 'sourcemaps')).length).toBeGreaterThan(0)
  takeToken(dataDir, target)
  expect(await readAnswers({ dataDir: target })).toEqual(answers)
})

function filesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted() : []
}

test('a backup has neither the token nor the secret, says so, and only its owner may read it', async () => {
  const { dataDir } = await copyLoaded()
  writeFileSync(join(dataDir, 'secret'), 'of the directory, not of its data')
  const file = join(newFolder(), 'backup.zip')
  const { stdout } = await tracegate(['backup', file, '--data', dataDir])
  expect(stdout).toMatch(/: [1-9][\d.]* [kM]B, the database and \d+ source map files\./)
  expect(stdout).toContain('keep TRACEGATE_SECRET')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const bytes = readFileSync(file).toString('latin1')
  expect(bytes).not.toMatch(/(?:token|secret|endpoints\.json)PK|PK.{28}(?:token|secret)/s)
  const archive = await openArchive(file)
  archive.close()
  expect(archive.names.every((name) => name.startsWith('sourcemaps/'))).toBe(true)
})

test('nobody else may read what a backup is made of while it is made', async () => {
  const { dataDir } = await loaded()
  const folder = newFolder()
  const ended = new AbortController()
  const backup = tracegate(['backup', join(folder, 'backup.zip'), '--data', dataDir]).finally(() => ended.abort())
  const modes = new Map<string, number>()
  while (!ended.signal.aborted) {
    for (const name of readdirSync(folder)) {
      const mode = statSync(join(folder, name), { throwIfNoEntry: false })?.mode
      if (mode !== undefined) modes.set(name.split('.').at(-1) ?? '', mode & 0o777)
    }
    await setImmediate()
  }
  expect(await backup).toMatchObject({ code: 0 })
  expect(Object.fromEntries(modes)).toMatchObject({ database: 0o600, unfinished: 0o600 })
  expect(new Set(modes.values())).toEqual(new Set([0o600]))
})

test('what a backup that was killed has left goes with a later one in the folder, and never that of one that runs', async () => {
  const { dataDir } = await loaded()
  const folder = newFolder()
  const ended = new AbortController()
  const first = tracegate(['backup', join(folder, 'first.zip'), '--data', dataDir]).finally(() => ended.abort())
  const seen = new Set<string>()
  while (!ended.signal.aborted) {
    for (const name of readdirSync(folder)) seen.add(name)
    await setImmediate()
  }
  await first
  const drafts = [...seen].filter((name) => !name.endsWith('.zip'))
  expect(drafts.map((name) => name.split('.').at(-1))).toEqual(expect.arrayContaining(['unfinished', 'database']))
  for (const name of drafts) writeFileSync(join(folder, name), 'left')
  const next = async (name: string) => {
    expect(await tracegate(['backup', join(folder, name), '--data', dataDir])).toMatchObject({ code: 0, stderr: '' })
    return readdirSync(folder).toSorted()
  }
  const age = (name: string) => utimesSync(join(folder, name), 0, 0)
  // Its zip waits while the database is copied.
  age(drafts.find((name) => name.endsWith('unfinished')) ?? '')
  expect(await next('second.zip')).toEqual([...drafts, 'first.zip', 'second.zip'].toSorted())
  for (const name of drafts) age(name)
  expect(await next('third.zip')).toEqual(['first.zip', 'second.zip', 'third.zip'])
})

test('a restored directory keeps the port that the DSNs of the backup name, where it has none', async () => {
  const { dataDir } = await copyLoaded()
  writeFileSync(join(dataDir, 'port'), '4807\n')
  const file = join(newFolder(), 'backup.zip')
  await tracegate(['backup', file, '--data', dataDir])
  const target = newFolder()
  const { stdout } = await tracegate(['restore', file, '--data', target])
  expect(stdout).toContain('The directory keeps port 4807, which the DSNs of the backup name, for the next start.')
  expect(readFileSync(join(target, 'port'), 'utf8')).toBe('4807\n')
  const other = newFolder()
  writeFileSync(join(other, 'port'), '4900\n')
  const second = await tracegate(['restore', file, '--data', other])
  expect(second.stdout).toContain('The directory keeps port 4900: start with --port to listen on port 4807, which')
  expect(readFileSync(join(other, 'port'), 'utf8')).toBe('4900\n')
})

test('a backup is made while a service writes, and holds what was committed before', async () => {
  const { dataDir } = await copyLoaded()
  const db = await openDatabase(join(dataDir, 'tracegate.db'))
  onTestFinished(() => db.close())
  const insert = (name: string) =>
    db.batch((prepare) => prepare('INSERT INTO place (environment_id, release_id) VALUES (?, ?)').run(name, ''))
  await insert('before')
  const file = join(newFolder(), 'backup.zip')
  const backing = db.batch(async (prepare) => {
    await prepare('INSERT INTO place (environment_id, release_id) VALUES (?, ?)').run('meanwhile', '')
    return tracegate(['backup', file, '--data', dataDir])
  })
  expect((await backing).code).toBe(0)
  const target = newFolder()
  expect((await tracegate(['restore', file, '--data', target])).code).toBe(0)
  const connection = new DatabaseSync(join(target, 'tracegate.db'))
  onTestFinished(() => connection.close())
  const names = connection.prepare('SELECT environment_id AS name FROM place ORDER BY id DESC LIMIT 1').all()
  expect(names.map((row) => row['name'])).toEqual(['before'])
})

test('an existing file is not replaced, and a failed backup leaves nothing', async () => {
  const { dataDir } = await loaded()
  const folder = newFolder()
  const file = join(folder, 'backup.zip')
  writeFileSync(file, 'mine')
  expect(await tracegate(['backup', file, '--data', dataDir])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('exists already') as string,
  })
  const other = await tracegate(['backup', join(folder, 'other.zip'), '--data', newFolder()])
  expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('there is no database') as string })
  expect(readdirSync(folder)).toEqual(['backup.zip'])
})

test('the database of another program is no data to back up', async () => {
  const [dataDir, folder] = [newFolder(), newFolder()]
  const connection = new DatabaseSync(join(dataDir, 'tracegate.db'))
  connection.exec('CREATE TABLE other (id INTEGER)')
  connection.close()
  expect(await tracegate(['backup', join(folder, 'b.zip'), '--data', dataDir])).toMatchObject({
    code: 2,
    stderr: `tracegate: ${join(dataDir, 'tracegate.db')} is not a database of Tracegate: it has no schema version\n`,
  })
  expect(readdirSync(folder)).toEqual([])
})

test('a restore into a directory with data is refused, and changes nothing', async () => {
  const { dataDir } = await copyLoaded()
  const before = statSync(join(dataDir, 'tracegate.db')).mtimeMs
  const { code, stderr } = await tracegate(['restore', await backedUp(), '--data', dataDir])
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('name an empty directory') as string,
  })
  expect(statSync(join(dataDir, 'tracegate.db')).mtimeMs).toBe(before)
})

test('no service opens a directory whose restore was interrupted, doctor finds it, and the next restore completes it', async () => {
  const { dataDir, answers } = await loaded()
  const target = newFolder()
  writeFileSync(join(target, 'tracegate.db-restoring'), 'the beginning of a database')
  mkdirSync(join(target, 'sourcemaps'))
  writeFileSync(join(target, 'sourcemaps', 'half'), '')
  await expect(openDatabase(join(target, 'tracegate.db'))).rejects.toThrow('run tracegate restore again')
  const found = await tracegate(['doctor', '--port', '0', '--data', target])
  expect(found.code).toBe(1)
  expect(found.stdout).toContain(`FAIL  data directory: the restore of ${join(target, 'tracegate.db')} is not complete`)
  expect((await tracegate(['restore', await backedUp(), '--data', target])).code).toBe(0)
  takeToken(dataDir, target)
  expect(await readAnswers({ dataDir: target })).toEqual(answers)
})

test('a restore that was ended while it migrated is completed with another backup', async () => {
  const { dataDir, answers } = await loaded()
  const [target, folder] = [newFolder(), newFolder()]
  // As SQLite leaves a file in the middle of a transaction that no longer fits into memory.
  const half = join(folder, 'half')
  const connection = new DatabaseSync(half)
  onTestFinished(() => connection.close())
  connection.exec('PRAGMA cache_size = 1; CREATE TABLE other (text TEXT)')
  const fill = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
    INSERT INTO other SELECT hex(randomblob(2000)) FROM n`
  connection.exec(`${fill}; BEGIN; UPDATE other SET text = 'changed'; ${fill}`)
  for (const end of ['', '-journal']) copyFileSync(half + end, join(target, `tracegate.db-restoring${end}`))
  expect(await tracegate(['restore', await backedUp(), '--data', target])).toMatchObject({ code: 0, stderr: '' })
  takeToken(dataDir, target)
  expect(await readAnswers({ dataDir: target })).toEqual(answers)
})

test('a backup of an older version is migrated', async () => {
  const old = join(newFolder(), 'old.db')
  const connection = new DatabaseSync(old)
  migrate(connection, readMigrations('sqlite').slice(0, 20))
  connection.close()
  const target = newFolder()
  const file = await madeBackup(readFileSync(old), { schema_version: 20 })
  expect((await tracegate(['restore', file, '--data', target])).code).toBe(0)
  const restored = new DatabaseSync(join(target, 'tracegate.db'))
  onTestFinished(() => restored.close())
  const version = restored.prepare('SELECT max(version) AS version FROM schema_version').get()
  expect(version?.['version']).toBe(readMigrations('sqlite').length)
})

test('a backup of a newer version, a damaged one and any other file are refused', async () => {
  const target = newFolder()
  const newer = await tracegate(['restore', await madeBackup(Buffer.of(), { schema_version: 9999 }), '--data', target])
  expect(newer).toMatchObject({ code: 2, stderr: expect.stringContaining('start the newer program') as string })
  const whole = readFileSync(await backedUp())
  const cut = join(newFolder(), 'cut.zip')
  writeFileSync(cut, whole.subarray(0, whole.length - 100))
  const other = await madeBackup(Buffer.of(), { format: 'other' })
  for (const file of [cut, other]) {
    const { code, stderr } = await tracegate(['restore', file, '--data', target])
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not a file that tracegate backup wrote') as string,
    })
  }
  expect(readdirSync(target)).toEqual([])
})

test('a backup that does not exist, or is a folder, is said to be that', async () => {
  const folder = newFolder()
  const missing = join(folder, 'missing.zip')
  expect(await tracegate(['restore', missing, '--data', newFolder()])).toMatchObject({
    code: 2,
    stderr: `tracegate: ${missing} cannot be read: it does not exist\n`,
  })
  expect((await tracegate(['restore', folder, '--data', newFolder()])).stderr).toBe(
    `tracegate: ${folder} cannot be read: it is a folder\n`,
  )
})

test('a byte that has changed is found, and the directory is not taken for a whole one', async () => {
  const file = await madeBackup(Buffer.from('SQLite format 3\0 and no more of it, stored'.repeat(100)))
  const bytes = readFileSync(file)
  bytes.writeUInt8(bytes.readUInt8(60) ^ 1, 60)
  writeFileSync(file, bytes)
  const target = newFolder()
  const { code } = await tracegate(['restore', file, '--data', target])
  expect(code).not.toBe(0)
  await expect(openDatabase(join(target, 'tracegate.db'))).rejects.toThrow('not complete')
})
