import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  mkdirSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { runAs } from '../postgres/programs.ts'
import { tracegate, tracegateAsUser } from './run.ts'

let dataDir: string
let file: string
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'tracegate-data-'))
  file = join(dataDir, 'tracegate.db')
  await tracegate(['call', 'find_error_issues', '{}', '--data', dataDir])
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const doctor = (...flags: string[]) => tracegate(['doctor', '--port', '0', '--data', dataDir, ...flags])

function overwrite(): void {
  const bytes = readFileSync(file)
  writeFileSync(file, bytes.fill(0x58, 0, 100))
}

/** Bytes in the middle, where the pages of tables are: the file still opens. */
function damagePages(): void {
  const bytes = readFileSync(file)
  for (let page = 2 * 16_384; page < bytes.length; page += 16_384) bytes.fill(0x58, page, page + 200)
  writeFileSync(file, bytes)
}

function makeNewer(): void {
  const connection = new DatabaseSync(file)
  connection.exec("INSERT INTO schema_version VALUES (999, '0999-future', 0)")
  connection.close()
}

test.each([
  ['a file of something else', overwrite, 'it is damaged, or no SQLite database'],
  ['a database of a newer version', makeNewer, 'it has schema version 999, this program knows'],
])('%s ends in one line with its path, and doctor finds it', async (_, damage, why) => {
  damage()
  const failed = await tracegate(['serve', '--port', '0', '--data', dataDir])
  expect(failed.code).toBe(1)
  expect(failed.stderr).toContain(`tracegate: the database ${file} cannot be used: ${why}`)
  expect(failed.stderr).not.toMatch(/^ {4}at /m)
  const found = await doctor()
  expect(found.code).toBe(1)
  expect(found.stdout).toContain(`FAIL  data directory: the database ${file} cannot be used: `)
})

test('doctor accepts a database in which the first start has not made a table yet', async () => {
  rmSync(dataDir, { recursive: true })
  mkdirSync(dataDir)
  const connection = new DatabaseSync(file)
  connection.exec('PRAGMA page_size = 16384; PRAGMA journal_mode = WAL')
  connection.close()
  expect((await doctor()).stdout).toContain('ok    data directory: ')
  expect((await doctor('--product', 'Shop')).stdout).toContain('ok    product: Shop, not checked: there is no data yet')
  expect(await tracegate(['backup', join(dataDir, 'b.zip'), '--data', dataDir])).toMatchObject({
    code: 2,
    stderr: `tracegate: there is no data in ${file} yet: the next start creates it\n`,
  })
  // Neither has made the first start.
  expect(readdirSync(dataDir).filter((name) => !name.startsWith('tracegate.db'))).toEqual([])
})

test('doctor upgrades no database to look for a product in, beneath a server that may run', async () => {
  const connection = new DatabaseSync(file)
  onTestFinished(() => connection.close())
  connection.exec(`DELETE FROM schema_version WHERE version = (SELECT max(version) FROM schema_version)`)
  const stored = () => connection.prepare('SELECT max(version) AS version FROM schema_version').get()
  const before = stored()
  expect((await doctor('--product', 'Shop')).stdout).toContain(
    'ok    product: Shop, not checked: the next start upgrades the database',
  )
  expect(stored()).toEqual(before)
})

test('doctor reads the whole database and finds damage in its middle', async () => {
  damagePages()
  const { code, stdout } = await doctor()
  expect(code).toBe(1)
  expect(stdout).toContain(`FAIL  data directory: the database ${file} cannot be used: `)
})

test.each([
  ['empty', () => truncateSync(file)],
  ['missing', () => rmSync(file)],
])('a database that is %s in a data directory that was in use is reported', async (state, lose) => {
  lose()
  const sentence = `the database ${file} is ${state}, but ${dataDir} was in use before`
  const found = await doctor()
  expect(found).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(`FAIL  data directory: ${sentence}`) as string,
  })
  const { code, stderr } = await tracegate(['report', join(dataDir, 'token'), '--data', dataDir])
  expect(code).not.toBe(0)
  expect(stderr).toContain(`${sentence}; starting with an empty one`)
})

test('what the user typed is printed without the sequences that a terminal obeys', async () => {
  for (const args of [
    ['\u001b[31mserve\u0007'],
    ['call', '\u001b]0;x\u0007y'],
    ['doctor', '--data', `${dataDir}/\u001b[2J`],
  ]) {
    const { stdout, stderr } = await tracegate(args)
    expect(stdout + stderr).not.toMatch(/(?!\n)\p{Cc}/u)
  }
})

/** Gives the directory to a user whom the system may refuse a file, and lets that user neither read nor write one of it. */
function refuse(name: string, mode = 0): void {
  letPass(dirname(dataDir))
  for (const path of [dataDir, ...readdirSync(dataDir).map((each) => join(dataDir, each))])
    if (runAs !== undefined) chownSync(path, runAs.uid, runAs.gid)
  chmodSync(join(dataDir, name), mode)
}

/** Lets every user reach what is in the folder. */
function letPass(folder: string): void {
  const { mode } = statSync(folder)
  if ((mode & 0o001) === 0) chmodSync(folder, mode | 0o011)
}

const noPermission = (found: string) =>
  `${found}: there is no permission; run tracegate as the user who owns it, or use`

const refused = [
  ['database', 'tracegate.db', (path: string) => noPermission(`the database ${path} cannot be used`)],
  ['token', 'token', (path: string) => noPermission(`${path} cannot be read`)],
  ['secret', 'secret', (path: string) => noPermission(`${path} cannot be read`)],
] as const

test.each(refused)('a server names its %s that it may not read, and leaves it as it is', async (_, name, words) => {
  const bytes = readFileSync(join(dataDir, name))
  refuse(name)
  const { stderr } = await tracegateAsUser(['serve', '--port', '0', '--data', dataDir], dataDir)
  expect(stderr).toContain(`tracegate: ${words(join(dataDir, name))}`)
  expect(stderr).not.toMatch(/^ {4}at /m)
  chmodSync(join(dataDir, name), 0o600)
  expect(readFileSync(join(dataDir, name))).toEqual(bytes)
})

test.each(refused)('doctor finds a %s that a server may not read', async (_, name, words) => {
  refuse(name)
  const { code, stdout } = await tracegateAsUser(['doctor', '--port', '0', '--data', dataDir], dataDir)
  const [found = ''] = words(join(dataDir, name)).split(';')
  expect(stdout).toContain(`FAIL  data directory: ${found}\n      fix: run tracegate as the user who owns it, or use`)
  expect(code).toBe(1)
})

test('a tool on a database without permission tells the agent to tell the user', async () => {
  refuse('tracegate.db')
  const { stdout } = await tracegateAsUser(['call', 'find_error_issues', '{}', '--data', dataDir], dataDir)
  expect(stdout).toContain(`error: ${noPermission(`the database ${file} cannot be used`)}`)
  expect(stdout).toContain('next: tell the user; once it is fixed, call again.')
})

test('doctor finds a database that may be read and not written, which no server can use', async () => {
  refuse('tracegate.db', 0o400)
  const found = await tracegateAsUser(['doctor', '--port', '0', '--data', dataDir], dataDir)
  expect(found.stdout).toContain(`FAIL  data directory: the database ${file} cannot be used: there is no permission\n`)
})

test('a move of a database without permission names it and what to do', async () => {
  refuse('tracegate.db')
  const args = ['move', '--to', 'postgres://user@127.0.0.1:1/none', '--data', dataDir]
  const { code, stderr } = await tracegateAsUser(args, dataDir)
  expect(stderr).toContain(`tracegate: ${noPermission(`the database ${file} cannot be used`)} another data directory`)
  expect(code).toBe(1)
})

test.each([
  ['of a database without permission', 'tracegate.db', 0, 'there is no permission'],
  ['in a directory that may not be written', '.', 0o500, 'its folder cannot be written (there is no permission)'],
])('a backup %s names it and what to do', async (_, name, mode, why) => {
  const target = mkdtempSync(join(tmpdir(), 'tracegate-backup-'))
  onTestFinished(() => rmSync(target, { recursive: true }))
  if (runAs !== undefined) chownSync(target, runAs.uid, runAs.gid)
  refuse(name, mode)
  const { code, stderr } = await tracegateAsUser(['backup', join(target, 'b.zip'), '--data', dataDir], target)
  chmodSync(dataDir, 0o700)
  expect(stderr).toBe(
    `tracegate: the database ${file} cannot be used: ${why}; run tracegate as the user who owns it, or use another data directory\n`,
  )
  expect(code).toBe(1)
  expect(readdirSync(target)).toEqual([])
})

test.each([
  ['into a folder that may not be entered', 'target', 'target/b.zip cannot be written'],
  ['of source maps that may not be read', 'data/sourcemaps', 'data/sourcemaps cannot be read'],
])('a backup %s says of what there is no permission', async (_, refused, said) => {
  const folder = mkdtempSync(join(tmpdir(), 'tracegate-backup-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const name of ['data', 'data/sourcemaps', 'target']) mkdirSync(join(folder, name))
  copyFileSync(file, join(folder, 'data/tracegate.db'))
  letPass(dirname(folder))
  for (const name of ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })])
    if (runAs !== undefined) chownSync(join(folder, name), runAs.uid, runAs.gid)
  chmodSync(join(folder, refused), 0)
  const args = ['backup', join(folder, 'target/b.zip'), '--data', join(folder, 'data')]
  expect(await tracegateAsUser(args, folder)).toEqual({
    code: 2,
    stdout: '',
    stderr: `tracegate: ${folder}/${said}: there is no permission\n`,
  })
})
