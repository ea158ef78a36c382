import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { tracegate } from './run.ts'

let dataDir: string
let file: string
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'tracegate-data-'))
  file = join(dataDir, 'tracegate.db')
  await tracegate(['call', 'find_error_issues', '{}', '--data', dataDir])
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const doctor = () => tracegate(['doctor', '--port', '0', '--data', dataDir])

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
