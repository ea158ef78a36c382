import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, expect, test } from 'vitest'
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

test('a directory with data is left alone', async () => {
  const dataDir = dataDirectory()
  const first = await startApp({ dataDir })
  await first.close()
  await using second = await startApp({ dataDir, sample: true })
  expect(await contents(second)).toMatchObject({ issues: [], environments: 0, components: 0 })
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
