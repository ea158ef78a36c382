import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { onTestFinished, expect, test } from 'vitest'
import { scopes } from '../../../src/contract/base/endpoint.ts'
import { firstStart, type FirstStart } from '../../../src/service/start/first-start.ts'
import { systemPlatform } from '../../../src/service/shared/platform.ts'
import type { Database } from '../../../src/service/sql/database.ts'
import { openDatabase } from '../../../src/service/sql/open/index.ts'
import { databaseIn, usesPostgres } from '../../postgres/databases.ts'
import { startApp } from '../../app.ts'

function dataDirectory(): string {
  const parent = mkdtempSync(join(tmpdir(), 'tracegate-start-'))
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }))
  return join(parent, 'data')
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

test('an empty directory becomes a workspace with an owner, a product with a DSN, and a token for its owner alone', async () => {
  const dataDir = dataDirectory()
  await using app = await startApp({ dataDir })
  expect(modeOf(dataDir)).toBe('700')
  expect(modeOf(join(dataDir, 'token'))).toBe('600')
  expect(readFileSync(join(dataDir, 'token'), 'utf8')).toBe(`${app.token}\n`)
  expect(app.token).toMatch(/^tg_[0-9A-Za-z]{40}$/)
  expect(app.publicKey).toMatch(/^[0-9a-f]{32}$/)
  expect(app.service.dsn('https://errors.example')).toBe(`https://${app.publicKey}@errors.example/1`)
  const { body } = await app.request<{ token: { scopes: string[] } }>('GET', '/v1/auth/me')
  expect(body.token.scopes).toEqual([...scopes])
  expect((await app.ingest({})).status).toBe(200)
})

test('the token itself is nowhere in the database', async () => {
  await using app = await startApp()
  await app.request('GET', '/v1/auth/me')
  for (const file of readdirSync(app.dataDir).filter((name) => name !== 'token')) {
    expect(readFileSync(join(app.dataDir, file)).includes(app.token)).toBe(false)
  }
})

test('a later start reuses the token, the product and the key, and writes down what the earlier one was about', async () => {
  const dataDir = dataDirectory()
  const first = await startApp({ dataDir })
  await first.request('GET', '/v1/auth/me')
  await first.close()
  await using second = await startApp({ dataDir })
  expect([second.token, second.productId, second.publicKey]).toEqual([first.token, first.productId, first.publicKey])
  const tokens = await second.db.read.selectFrom('token').selectAll().execute()
  expect(tokens).toHaveLength(1)
  expect(tokens[0]?.last_used_at).not.toBeNull()
})

test.each([
  ['is gone', (file: string) => rmSync(file)],
  ['holds a token of another database', (file: string) => writeFileSync(file, `tg_${'x'.repeat(40)}\n`)],
])('when the token file %s, the next start makes a new token for the same owner', async (_case, damage) => {
  const dataDir = dataDirectory()
  const first = await startApp({ dataDir })
  await first.close()
  damage(join(dataDir, 'token'))
  await using second = await startApp({ dataDir })
  expect(second.token).not.toBe(first.token)
  expect((await second.request('GET', '/v1/auth/me')).status).toBe(200)
  expect(await second.db.read.selectFrom('user').selectAll().execute()).toHaveLength(1)
})

test('who finds another process faster, after having seen an empty database, takes what that one made', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tracegate-start-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const db = await openDatabase(await databaseIn(dataDir))
  const facts = { platform: systemPlatform, dataDir, product: { name: 'Shop', slug: 'shop', key_prefix: 'SHOP' } }
  const results: FirstStart[] = []
  const slower: Database = {
    read: db.read,
    batch: (work) => db.batch(work),
    writeInSlices: (work) => db.writeInSlices(work),
    close: () => db.close(),
    async write(work) {
      results.push(await firstStart({ ...facts, db }))
      return db.write(work)
    },
  }
  results.push(await firstStart({ ...facts, db: slower }))
  await db.close()
  expect(results.map(({ created }) => created)).toEqual([true, false])
  expect({ ...results[1], created: true }).toEqual(results[0])
})

test('processes that start at once on one directory make one workspace and read the same token', async () => {
  const dataDir = dataDirectory()
  const service = pathToFileURL(join(import.meta.dirname, '../../../src/service/index.ts')).href
  const program = `
    const { openService } = await import(${JSON.stringify(service)})
    const service = await openService({ dataDir: ${JSON.stringify(dataDir)}, databaseUrl: ${JSON.stringify(usesPostgres() ? await databaseIn(dataDir) : undefined)}, secret: 's', version: '0', sourceMapWorker: () => {}, reportWorker: () => {} })
    console.log(service.token, service.productId, service.dsn('http://h'))
    await service.close()`
  const outputs = await Promise.all(Array.from({ length: 4 }, () => run(program)))
  expect(new Set(outputs).size).toBe(1)
  expect(outputs[0]).toMatch(/^tg_\w{40} 1 http:/)
  await using app = await startApp({ dataDir })
  expect(outputs[0]).toContain(app.token)
  for (const table of ['workspace', 'user', 'token', 'product', 'dsn_key'] as const) {
    expect([table, await app.db.read.selectFrom(table).selectAll().execute()]).toEqual([table, [expect.anything()]])
  }
})

function run(program: string): Promise<string> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { timeout: 20_000 })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', () => resolve(output))
  })
}
