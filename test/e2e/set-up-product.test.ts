import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setUpProduct } from '../../prompts/set-up-product.ts'
import { namesIn } from '../../src/mcp/surface/naming.ts'
import { publishedCommand, servePublished } from '../cli/published.ts'
import { temporaryFolder, tracegate } from '../cli/run.ts'
import { connectClient, connected } from '../mcp/clients.ts'
import { sayYes } from '../mcp/say-yes.ts'
import type { Served } from '../serve.ts'

const run = promisify(execFile)
const release = 'cart@1.0.0'

/** An application that knows nothing of Tracegate. */
const files = {
  'package.json': '{ "name": "cart", "version": "1.0.0", "private": true, "type": "module" }\n',
  'src/cart.mjs': `export function total(items) {
  return items.reduce((sum, { price, pieces }) => sum + price * pieces, 0)
}
`,
  'src/main.mjs': `import { total } from './cart.mjs'

console.log(total([]))
`,
}

let folder: ReturnType<typeof temporaryFolder>
let repository: string
let app: Served
beforeAll(async () => {
  folder = temporaryFolder()
  repository = join(folder.path, 'cart')
  for (const [path, text] of Object.entries(files)) write(path, text)
  symlinkSync(resolve('node_modules'), join(repository, 'node_modules'))
  const dataDir = join(folder.path, 'data')
  await tracegate(['init', repository, '--data', dataDir])
  app = await servePublished({ dataDir })
}, 60_000)
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

function write(path: string, text: string) {
  const file = join(repository, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** A client that starts `tracegate stdio` in the repository, as an editor does. */
async function openRepository() {
  const client = connectClient('2026-07-28', sayYes)
  if (!(client instanceof Client)) throw new Error('the newest client has this transport')
  const server = {
    command: process.execPath,
    args: [await publishedCommand(), 'stdio', '--data', app.dataDir, '--toolsets', 'all'],
    cwd: repository,
    env: { PATH: process.env['PATH'] ?? '', HOME: folder.path, TRACEGATE_LOG_LEVEL: 'silent' },
    stderr: 'ignore' as const,
  }
  await client.connect(new StdioClientTransport(server))
  return Object.assign(
    connected(client, () => client.close()),
    { client },
  )
}

test('set_up_product, followed to the letter, takes a new product to a verified requirement and a verdict in nine calls', async () => {
  await using agent = await openRepository()
  const { text: before } = await agent.call('find_error_issues')
  expect(before).toContain('The prompt set_up_product leads through all of it.')
  expect(before).toContain('- get_workspace_context {"product":"1","include":["setup"]}')

  const { messages } = await agent.client.getPrompt({ name: 'set_up_product', arguments: { product: 'cart' } })
  expect(messages).toMatchObject([{ content: { text: expect.stringContaining('Product: "cart".') } }])
  const called: string[] = []
  const call = async (tool: string, args: Record<string, unknown> = {}) => {
    called.push(tool)
    const answer = await agent.call(tool, { product: 'cart', ...args })
    expect(answer).toMatchObject({ isError: false })
    return answer
  }

  const { structured } = await call('get_workspace_context', { include: ['setup'] })
  const { dsn } = (structured as { data: { setup: { dsn: string } } }).data.setup
  expect(dsn).toBe(app.endpoints.dsn)

  write('instrument.mjs', "import * as Sentry from '@sentry/node'\nSentry.init()\n")
  const main = files['src/main.mjs']
  write('src/main.mjs', main.replace('total([])', 'total(undefined)'))
  const start = ['--import', './instrument.mjs', 'src/main.mjs']
  const env = { PATH: process.env['PATH'], SENTRY_DSN: dsn, SENTRY_ENVIRONMENT: 'development', SENTRY_RELEASE: release }
  await expect(run(process.execPath, start, { cwd: repository, env })).rejects.toThrow('TypeError')
  write('src/main.mjs', main)
  expect((await run(process.execPath, start, { cwd: repository, env })).stdout).toBe('0\n')

  const { text: rows } = await call('find_error_issues', { environment: 'development' })
  expect(rows).toMatch(/^\| CART-1 .*TypeError: Cannot read properties of undefined \(reading 'reduce'\)$/m)
  const { text: context } = await call('get_fix_context', { issue: 'CART-1' })
  expect(context).toContain(release)
  expect(context).toMatch(/^src\/cart\.mjs \| 2 \| crash \| this machine/m)

  const { text: saved } = await call('save_requirement', {
    title: 'An empty cart costs nothing',
    criteria: ['Given an empty cart, when it is priced, then the total is 0.'],
    files: ['src/cart.mjs'],
  })
  expect(saved).toContain('Created REQ-1.')
  expect((await call('approve_requirements', { requirements: ['REQ-1'] })).text).toMatch(/^1 approved\./)
  const { text: how } = await call('get_test_context', { requirement: 'REQ-1' })
  expect(how).toContain('with [REQ-1.1] in the name of each case (for its criterion 1; REQ-1 alone proves none)')
  write(
    'test/cart.test.mjs',
    `import assert from 'node:assert/strict'
import test from 'node:test'
import { total } from '../src/cart.mjs'

test('[REQ-1.1] an empty cart costs nothing', () => assert.equal(total([]), 0))
`,
  )
  const reporter = ['--test-reporter=junit', '--test-reporter-destination=report.xml']
  await run(process.execPath, ['--test', ...reporter], { cwd: repository, env: { PATH: process.env['PATH'] } })
  const sent = await call('ingest_test_report', { path: 'report.xml', release, environment: 'development' })
  expect(sent.text).toMatch(/^REQ-1 \| no_test \| verified \|/m)
  expect((await call('compute_quality_gate', { release })).text).toMatch(/^PASS for release .* in development: /)

  const pipeline = { TRACEGATE_BASE_URL: app.endpoints.rest, TRACEGATE_API_TOKEN: app.endpoints.token }
  const ran = ['--release', release, '--environment', 'ci']
  expect(await tracegate(['report', join(repository, 'report.xml'), ...ran], pipeline)).toMatchObject({ code: 0 })
  const gate = () => tracegate(['gate', '--release', release], pipeline)
  expect(await gate()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^PASS: /) })

  const { text: setup } = await call('verify_setup')
  expect(setup).toMatch(/^done: .*requirements_present.*tests_linked.*event_received.*gate_computed$/m)
  // The version is deployed, and crashes where the user has set what the prompt said.
  const key = await tracegate(['admin', 'key', 'add', '--server', '--data', app.dataDir])
  const production = { ...env, SENTRY_DSN: key.stdout.trim(), SENTRY_ENVIRONMENT: 'production' }
  write('src/main.mjs', main.replace('total([])', 'total(undefined)'))
  await expect(run(process.execPath, start, { cwd: repository, env: production })).rejects.toThrow('TypeError')
  write('src/main.mjs', main)
  const failed = await gate()
  expect(failed).toMatchObject({ code: 1, stdout: expect.stringMatching(/^FAIL: .* in production/) })
  expect(failed.stdout).toMatch(/CART-1 .*TypeError/)
  expect(failed.stdout).toMatch(/^passed: failing_tests/m)

  const inPrompt = setUpProduct.steps.flatMap(namesIn)
  // One is only for an application whose event does not come; the key from another one is named again.
  expect(called).toEqual([...new Set(inPrompt)].filter((tool) => tool !== 'send_test_event'))
  expect(called).toHaveLength(9)
  for (const path of [...Object.keys(files), 'instrument.mjs', 'test/cart.test.mjs', 'report.xml'])
    expect(readFileSync(join(repository, path), 'utf8')).not.toContain(new URL(dsn).username)
}, 60_000)
