import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, expect, test } from 'vitest'
import { sampleLoading } from '../../src/service/sample-loading.ts'
import { systemPlatform } from '../../src/service/platform.ts'
import { openSqlite } from '../../src/service/sql/sqlite.ts'
import { startApp } from '../app.ts'
import type { App } from '../app.ts'

function dataDirectory(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'tracegate-sample-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  return dataDir
}

/** What the sample amounts to, without ids and times. */
async function contents(app: App) {
  const count = async (table: 'environment' | 'release' | 'component' | 'occurrence') =>
    (await app.db.read.selectFrom(table).select('id').execute()).length
  const issues = await app.db.read
    .selectFrom('issue')
    .select(['title', 'status', 'times_seen', 'is_regression', 'users_affected'])
    .orderBy('title')
    .orderBy('times_seen')
    .execute()
  return {
    issues: issues.map((issue) => ({ ...issue })),
    environments: await count('environment'),
    releases: await count('release'),
    components: await count('component'),
    occurrences: await count('occurrence'),
  }
}

test('the sample fills an empty directory through the real ingest, with a key that is revoked afterwards', async () => {
  const lines: string[] = []
  await using app = await startApp({ sample: true, onProgress: (line) => lines.push(line) })
  const { issues, ...counts } = await contents(app)
  expect(issues.length).toBeGreaterThanOrEqual(12)
  expect(issues.filter(({ is_regression }) => is_regression === 1)).toHaveLength(1)
  expect(counts).toMatchObject({ environments: 3, releases: 9, components: 6 })
  expect(lines.at(-1)).toBe(`the sample shop is loaded: ${counts.occurrences} events`)
  const products = await app.request('GET', '/v1/workspaces')
  expect(products.body).toMatchObject({ workspaces: [{ product_count: 1 }] })
  const keys = await app.db.read.selectFrom('dsn_key').select(['public_key', 'revoked_at']).execute()
  expect(keys.filter(({ revoked_at: at }) => at === null).map(({ public_key: key }) => key)).toEqual([app.publicKey])
  expect(keys).toHaveLength(2)
  expect(app.logged).toEqual([])
})

const used: [string, (app: App) => Promise<unknown>][] = [
  ['an event', (app) => app.ingest({})],
  ['an environment', (app) => app.request('POST', `/v1/products/${app.productId}/environments`, { name: 'ours' })],
  ['a second product', addProduct],
]

async function addProduct({ api }: App) {
  const { workspaces } = await api.listWorkspaces({})
  return api.createProduct({ workspace_id: workspaces[0]?.id ?? '', name: 'Another' })
}

test.each(used)('a directory with %s is left alone, and that is said', async (_what, use) => {
  const dataDir = dataDirectory()
  const first = await startApp({ dataDir })
  await use(first)
  const before = await contents(first)
  await first.close()
  const lines: string[] = []
  await using second = await startApp({ dataDir, sample: true, onProgress: (line) => lines.push(line) })
  expect(await contents(second)).toEqual(before)
  expect(lines).toEqual([expect.stringContaining('has data already, so the sample was not loaded')])
})

test('a first product that nobody has used becomes the sample, with its id and its DSN', async () => {
  const dataDir = dataDirectory()
  const first = await startApp({ dataDir })
  await first.api.listIssues({ product_id: first.productId })
  await first.close()
  await using second = await startApp({ dataDir, sample: true })
  expect([second.token, second.productId, second.publicKey]).toEqual([first.token, first.productId, first.publicKey])
  await using whole = await startApp({ sample: true })
  expect(await contents(second)).toEqual(await contents(whole))
  const facts = ['name', 'slug', 'key_prefix', 'description', 'repository', 'gate_policy', 'settings'] as const
  const product = (app: App) => app.db.read.selectFrom('product').select(facts).execute()
  expect(await product(second)).toEqual(await product(whole))
})

test('a loading that was interrupted is taken up by the next start, and nothing is counted twice', async () => {
  await using whole = await startApp({ sample: true })
  const dataDir = dataDirectory()
  const interrupted = startApp({
    dataDir,
    sample: true,
    onProgress(line) {
      if (line.includes(' of ')) throw new Error('the power failed')
    },
  })
  await expect(interrupted).rejects.toThrow('the power failed')
  expect(readdirSync(dataDir)).toContain('sample-unfinished')

  const resumed = await startApp({ dataDir, sample: true })
  expect(await contents(resumed)).toEqual(await contents(whole))
  await resumed.close()
  expect(readdirSync(dataDir)).not.toContain('sample-unfinished')
  await using later = await startApp({ dataDir, sample: true })
  expect(await contents(later)).toEqual(await contents(whole))
})

test('a product that another start made first is left alone, now and later', async () => {
  const dataDir = dataDirectory()
  const db = await openSqlite(join(dataDir, 'tracegate.db'))
  onTestFinished(() => db.close())
  const sample = await sampleLoading({ db, dataDir })
  const plain = await startApp({ dataDir })
  const target = { send: plain.service.direct, db, platform: systemPlatform, token: plain.token }
  await sample?.load({ ...target, productId: Number(plain.productId), created: false })
  expect(await contents(plain)).toMatchObject({ issues: [], environments: 0, components: 0 })
  await addProduct(plain)
  await plain.close()
  expect(readdirSync(dataDir)).not.toContain('sample-unfinished')

  // As a start leaves it that dies after its look at the directory.
  writeFileSync(join(dataDir, 'sample-unfinished'), '')
  await using later = await startApp({ dataDir, sample: true })
  expect(await contents(later)).toMatchObject({ issues: [], environments: 0, components: 0 })
  expect(readdirSync(dataDir)).not.toContain('sample-unfinished')
})
