import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, expect, test } from 'vitest'
import type { ResponseOf } from '../../../src/contract/index.ts'
import type { Send } from '../../../src/contract/base/wire.ts'
import { ServiceError } from '../../../src/errors.ts'
import { agentTypes } from '../../../src/service/agents/types/list.ts'
import { browserScenarios } from '../../../src/dev/sample-recorder/crashes/browser-scenarios.ts'
import { nodeScenarios } from '../../../src/dev/sample-recorder/crashes/node-scenarios.ts'
import { sampleLoading } from '../../../src/service/start/sample-loading.ts'
import { systemPlatform } from '../../../src/service/shared/platform.ts'
import { errorReply } from '../../../src/service/rest/replies.ts'
import { openDatabase } from '../../../src/service/sql/open/index.ts'
import { databaseIn, usesPostgres } from '../../postgres/databases.ts'
import { startApp, type App } from '../../app.ts'
import { startSampleApp } from '../../sample-app.ts'
import { tracegate } from '../../cli/run.ts'

function dataDirectory(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'tracegate-sample-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  return dataDir
}

/** What the sample amounts to, without ids and times. */
async function contents(app: App) {
  const count = async (
    table:
      | 'environment'
      | 'release'
      | 'component'
      | 'occurrence'
      | 'requirement'
      | 'test'
      | 'test_result'
      | 'agent_config',
  ) => (await app.db.read.selectFrom(table).select('id').execute()).length
  const issues = await app.db.read
    .selectFrom('issue')
    .select(['title', 'status', 'times_seen', 'is_regression', 'users_affected'])
    .orderBy('title')
    .orderBy('times_seen')
    .execute()
  const uploads = await app.db.read
    .selectFrom('sourcemap')
    .select(['file_name', 'release'])
    .where('state', '=', 'SOURCEMAP_STATE_READY')
    .orderBy('release')
    .execute()
  return {
    issues: issues.map((issue) => ({ ...issue })),
    uploads: uploads.map((upload) => ({ ...upload })),
    environments: await count('environment'),
    releases: await count('release'),
    components: await count('component'),
    occurrences: await count('occurrence'),
    requirements: await count('requirement'),
    tests: await count('test'),
    results: await count('test_result'),
    agentConfigs: await count('agent_config'),
  }
}

test('the sample fills an empty directory through the real ingest, with a key that is revoked afterwards', async () => {
  const lines: string[] = []
  await using app = await startApp({ sample: true, onProgress: (line) => lines.push(line) })
  const { issues, ...counts } = await contents(app)
  // Crashes of three releases with different chunk names and of one without maps: one issue for each bug.
  expect(issues).toHaveLength(nodeScenarios.length + browserScenarios.length)
  expect(issues.filter(({ is_regression }) => is_regression === 1)).toHaveLength(1)
  expect(counts).toMatchObject({ environments: 3, releases: 9, components: 6, agentConfigs: agentTypes.length })
  expect(lines.at(-2)).toBe(
    `the sample shop is loaded: ${counts.occurrences} events, 9 source maps, 26 requirements, 58 tests`,
  )
  const products = await app.request('GET', '/v1/workspaces')
  expect(products.body).toMatchObject({ workspaces: [{ product_count: 1 }] })
  const keys = await app.db.read.selectFrom('dsn_key').select(['public_key', 'revoked_at']).execute()
  expect(keys.filter(({ revoked_at: at }) => at === null).map(({ public_key: key }) => key)).toEqual([app.publicKey])
  // One for what browsers sent, and one for servers, whose events vouch.
  expect(keys).toHaveLength(3)
  expect(app.logged).toEqual([])
})

let known: ReturnType<typeof contents> | undefined

/** What a loading comes to that nothing interrupts. */
function wholeSample(): ReturnType<typeof contents> {
  known ??= (async () => {
    await using app = await startSampleApp()
    return await contents(app)
  })()
  return known
}

async function issuesOf(app: App, filter = ''): Promise<ResponseOf<'listIssues'>['issues']> {
  const path = `/v1/products/${app.productId}/issues?page_size=100${filter}`
  return (await app.request<ResponseOf<'listIssues'>>('GET', path)).body.issues
}

/** What the frames of each issue's newest crash lack: their files without hashes, and why, each once. */
async function problemsOf(app: App): Promise<string[]> {
  const found = new Set<string>()
  for (const { id } of await issuesOf(app)) {
    const { latest_event: event } = (await app.request<ResponseOf<'getIssue'>>('GET', `/v1/issues/${id}`)).body
    for (const { abs_path: path, reason } of event?.symbolication.problems ?? [])
      found.add(`${event?.release} ${path.replace(/^.*\/(\w+)-\w+/, '$1')}: ${reason.replace(/:.*/, '')}`)
  }
  return [...found].toSorted()
}

test('the sample has its source maps from the start, and issues in every component', async () => {
  await using app = await startSampleApp()
  const { uploads } = await contents(app)
  expect(uploads.map(({ release }) => release)).toEqual(['shop@1.3.0', 'shop@1.4.0', 'shop@1.4.1'])
  const { components } = await app.api.listComponents({ product_id: app.productId })
  expect(components).toHaveLength(6)
  for (const { id } of components) expect(await issuesOf(app, `&component_id=${id}`)).not.toHaveLength(0)
})

test('frames of the newest page are minified and say why, until the command mends it that the loading tells', async () => {
  const dataDir = dataDirectory()
  const lines: string[] = []
  const app = await startApp({ dataDir, sample: true, onProgress: (line) => lines.push(line) })
  expect(await problemsOf(app)).toMatchInlineSnapshot(`
    [
      "shop@1.3.0 sdk.js: this event's release has 4 source maps, but none of this file",
      "shop@1.4.1 app.js: this event's release has one source map, but not of this file, and none has the debug id of this file",
      "shop@1.4.1 chunk.js: this event's release has one source map, but not of this file, and none has the debug id of this file",
      "shop@1.4.1 recommendations.js: this event's release has one source map, but not of this file, and none has the debug id of this file",
      "shop@1.4.1 sdk.js: this event's release has one source map, but not of this file",
    ]
  `)
  await app.close()
  const [, command = ''] = lines.at(-1)?.split('\n') ?? []
  expect(command).toMatch(/^ {2}npm run -s tracegate -- sourcemaps upload /)
  const { code, stdout } = await tracegate(
    command.trim().split(' ').slice(5),
    usesPostgres() ? { TRACEGATE_DATABASE_URL: await databaseIn(dataDir) } : {},
  )
  expect(code).toBe(0)
  expect(stdout).toMatch(/\n\d+ issues symbolicated again\n$/)
  await using mended = await startApp({ dataDir })
  expect(await problemsOf(mended)).toMatchInlineSnapshot(`
    [
      "shop@1.3.0 sdk.js: this event's release has 4 source maps, but none of this file",
      "shop@1.4.1 sdk.js: this event's release has 4 source maps, but none of this file",
    ]
  `)
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
  await using whole = await startSampleApp()
  expect(await contents(second)).toEqual(await contents(whole))
  const facts = ['name', 'slug', 'key_prefix', 'description', 'repository', 'gate_policy', 'settings'] as const
  const product = (app: App) => app.db.read.selectFrom('product').select(facts).execute()
  expect(await product(second)).toEqual(await product(whole))
})

test('a loading that was interrupted is taken up by the next start, and nothing is counted twice', async () => {
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
  expect(await contents(resumed)).toEqual(await wholeSample())
  await resumed.close()
  expect(readdirSync(dataDir)).not.toContain('sample-unfinished')
  await using later = await startApp({ dataDir, sample: true })
  expect(await contents(later)).toEqual(await wholeSample())
})

test('a loading that ended between sending source maps and confirming them brings each once', async () => {
  const dataDir = dataDirectory()
  const unlucky = startApp({
    dataDir,
    sample: true,
    onProgress() {
      throw new Error('the power failed')
    },
  })
  await expect(unlucky).rejects.toThrow('the power failed')
  const app = await startApp({ dataDir })
  const sample = await sampleLoading({ db: app.db, dataDir })
  const target = { db: app.db, platform: systemPlatform, token: app.token, productId: Number(app.productId) }
  let confirms = 0
  const send: Send = (request) => {
    if (request.url.endsWith(':confirm') && (confirms += 1) > 1) throw new Error('the power failed again')
    return app.service.direct(request)
  }
  await expect(sample?.load({ ...target, send, created: false })).rejects.toThrow('the power failed again')
  await app.close()
  await using resumed = await startApp({ dataDir, sample: true })
  expect(await contents(resumed)).toEqual(await wholeSample())
})

test('a product that another start made first is left alone, now and later', async () => {
  const dataDir = dataDirectory()
  const db = await openDatabase(await databaseIn(dataDir))
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

test.runIf(usesPostgres())(
  'of two processes that start at once only the one that loads the sample has to complete it',
  async () => {
    const [one, two] = [dataDirectory(), dataDirectory()]
    const db = await openDatabase(await databaseIn(one))
    onTestFinished(() => db.close())
    const sample = await sampleLoading({ db, dataDir: two })
    await using app = await startApp({ dataDir: one, sample: true })
    const { direct: send, token } = app.service
    const target = { send, db, platform: systemPlatform, token, productId: Number(app.productId) }
    await sample?.load({ ...target, created: false })
    expect(readdirSync(two)).not.toContain('sample-unfinished')
  },
)

test('a service that refuses the sample is heard with its own words, as a failure and not as a bug', async () => {
  const dataDir = dataDirectory()
  const onProgress = () => {
    throw new Error('the power failed')
  }
  await expect(startApp({ dataDir, sample: true, onProgress })).rejects.toThrow('the power failed')
  await using app = await startApp({ dataDir })
  const sample = await sampleLoading({ db: app.db, dataDir })
  const target = { db: app.db, platform: systemPlatform, token: app.token, productId: Number(app.productId) }
  const full = new ServiceError('unavailable', 'the disk under the database is full; make room, then repeat')
  const send: Send = () => Promise.resolve(errorReply(full, '1'))
  await expect(sample?.load({ ...target, send, created: false })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/^the sample could not be loaded: .* the disk under the database is full/) as string,
  })
})
