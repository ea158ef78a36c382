import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { checkOutShop } from '../../src/dev/sample-recorder/quality/repository.ts'
import { startSampleApp } from '../sample-app.ts'
import { connectClient, connected, type Called, type Connected } from '../mcp/clients.ts'

const main = resolve(import.meta.dirname, '../../src/main.ts')

/** What an agent reads of an answer. */
const Answer = z.object({
  answer: z.string(),
  data: z.unknown(),
  next_cursor: z.string().optional(),
  next_actions: z
    .array(z.object({ tool: z.string(), args: z.record(z.string(), z.unknown()), why: z.string() }))
    .default([]),
})
/** More than ten rows are sent as columns and rows. */
const Table = z
  .object({ columns: z.array(z.string()), rows: z.array(z.array(z.unknown())) })
  .transform(({ columns, rows }) =>
    rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]]))),
  )
const Row = z.object({ id: z.string(), state: z.string() })
const Gaps = z.object({
  counts: z.object({ total: z.int(), no_test: z.int() }),
  rows: z.union([z.array(Row), Table.pipe(z.array(Row))]),
})
const Context = z.object({
  requirement: z.object({ id: z.string(), state: z.string() }),
  code_files: z.array(z.object({ file: z.string() })),
  suggested: z.object({ file: z.string() }),
  how_to: z.array(z.string()),
})
const Sent = z.object({
  totals: z.object({ tests: z.int(), passed: z.int(), failed: z.int() }),
  coverage: z.object({ verified: z.string(), no_test: z.string(), not_run: z.string() }),
  requirements: z.array(
    z.object({ id: z.string(), was: z.string().optional(), state: z.string(), failing: z.boolean().optional() }),
  ),
})

let dataDir: string
/** A checkout of the shop: what the agent works in. */
let shop: string
let agent: Connected

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tracegate-loop-'))
  const app = await startSampleApp({ dataDir })
  await app.close()
  shop = await realpath(await mkdtemp(join(tmpdir(), 'sample-shop-')))
  await checkOutShop(shop, 'shop@1.4.1')
  agent = await connectAgent()
}, 120_000)

afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await rm(dataDir, { recursive: true, force: true })
  await rm(shop, { recursive: true, force: true })
})

/** An agent's host starts the server as a child in the checkout, as its settings say. */
async function connectAgent(): Promise<Connected> {
  const client = connectClient('2026-07-28')
  if (!(client instanceof Client)) throw new Error('the newest client has this transport')
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [main, 'stdio', '--data', dataDir],
    cwd: shop,
    env: { PATH: process.env['PATH'] ?? '', HOME: dataDir, TRACEGATE_ROOTS: shop, TRACEGATE_LOG_LEVEL: 'silent' },
    stderr: 'ignore',
  })
  await client.connect(transport)
  return connected(client, () => client.close())
}

function read<S extends z.ZodType>(schema: S, { structured, isError, text }: Called) {
  if (isError) throw new Error(text)
  const { data, ...answer } = Answer.parse(structured)
  return { ...answer, data: schema.parse(data) }
}

/** The next call that an answer names, with that tool. */
function nextOf({ next_actions: actions }: Pick<z.output<typeof Answer>, 'next_actions'>, tool: string) {
  const action = actions.find((one) => one.tool === tool)
  if (action === undefined)
    throw new Error(`the answer names ${actions.map((one) => one.tool).join(', ')}, not ${tool}`)
  return action
}

/** How the context says that a test names its requirement. */
function annotationIn({ how_to }: z.output<typeof Context>): string {
  const [annotation] = /\[REQ-\d+(?:\.1)?\]/.exec(how_to.join('\n')) ?? []
  if (annotation === undefined) throw new Error('the context does not say how a test names the requirement')
  return annotation
}

/** The shop's own Vitest on one of its test files; the name of the report it writes. */
async function runTests(file: string): Promise<string> {
  const report = `reports/${file.replaceAll('/', '-')}.json`
  await new Promise<void>((done, fail) => {
    const vitest = join(shop, 'node_modules/vitest/vitest.mjs')
    const args = [vitest, 'run', file, '--reporter=json', `--outputFile=${report}`]
    const env = { PATH: process.env['PATH'], HOME: shop }
    execFile(process.execPath, args, { cwd: shop, env, timeout: 60_000 }, (error) => {
      // 1: a test failed, which is a result like any other.
      if (error === null || error.code === 1) done()
      else fail(error)
    })
  })
  return report
}

async function writeTest(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(shop, file)), { recursive: true })
  await writeFile(join(shop, file), text)
}

/** What an agent may write for "A lost connection to the payment provider is tried again". */
const lostConnection = (annotation: string) => `import { describe, expect, test } from 'vitest'
import { placeOrder } from '../../src/checkout/checkout.ts'
import { checkoutWith, customerWith, order } from '../orders.ts'
import { standIn } from '../stand-in.ts'

describe('lost connection to the payment provider', () => {
  test('${annotation} is tried 3 times, then the order is refused and nothing is mailed', async () => {
    const payments = await standIn((response) => response.destroy())
    const checkout = checkoutWith(payments.url)
    const placing = placeOrder(customerWith('tea-001'), order(), checkout)
    await expect(placing).rejects.toMatchObject({ name: 'CheckoutError', status: 402 })
    expect(payments.asked()).toBe(3)
    expect(checkout.mails).toEqual([])
  })
})
`

test('from the worst gap to a verified requirement, each answer naming the next step', async () => {
  const gaps = read(Gaps, await agent.call('find_coverage_gaps'))
  expect(gaps.data.rows[0]).toMatchObject({ id: 'REQ-16', state: 'no_test' })

  const step = nextOf(gaps, 'get_test_context')
  const context = read(Context, await agent.call(step.tool, step.args))
  expect(context.data.requirement).toMatchObject({ id: 'REQ-16', state: 'no_test' })
  for (const { file } of context.data.code_files) expect(await readFile(join(shop, file), 'utf8')).not.toBe('')
  // Tests of the same code are there.
  expect(context.data.suggested.file).toBe('test/payment/gateway.test.ts')

  const file = 'test/payment/pay.test.ts'
  await writeTest(file, lostConnection(annotationIn(context.data)))
  const path = await runTests(file)

  expect(context.data.how_to.join('\n')).toContain('ingest_test_report')
  const sent = read(
    Sent,
    await agent.call('ingest_test_report', { product: step.args['product'], path, environment: 'staging' }),
  )
  expect(sent.data.totals).toMatchObject({ tests: 1, passed: 1, failed: 0 })
  expect(sent.data.requirements).toEqual([expect.objectContaining({ id: 'REQ-16', was: 'no_test', state: 'verified' })])
  const [, from, to] = /^1 test, 1 passed; verified requirements (\d+) -> (\d+)[;.]/.exec(sent.answer) ?? []
  expect(Number(to)).toBe(Number(from) + 1)
  expect(sent.data.coverage.verified).toBe(`${from} -> ${to}`)

  const last = nextOf(sent, 'find_coverage_gaps')
  const after = read(Gaps, await agent.call(last.tool, last.args))
  const { total, no_test } = gaps.data.counts
  expect(after.data.counts).toMatchObject({ total: total - 1, no_test: no_test - 1 })
  expect(await allRows(after, last.args)).not.toContain('REQ-16')
})

/** What an agent may write for "Addresses that nobody can read". */
const unreadable = (annotation: string) => `import { expect, test } from 'vitest'
import { findRoute } from '../../src/server/router.ts'

test('${annotation} finds no route for a path that is not percent-encoded', () => {
  expect(findRoute([], 'GET', '/api/products/tea-001%E0%A4%A')).toBeUndefined()
})
`

test('a test that fails over a bug of the shop closes nothing, and leads back to its requirement', async () => {
  const context = read(Context, await agent.call('get_test_context', { requirement: 'REQ-35' }))
  const file = 'test/server/unreadable.test.ts'
  await writeTest(file, unreadable(annotationIn(context.data)))
  const sent = read(
    Sent,
    await agent.call('ingest_test_report', { path: await runTests(file), environment: 'staging' }),
  )
  expect(sent.data.totals).toMatchObject({ tests: 1, passed: 0, failed: 1 })
  expect(sent.data.requirements).toEqual([
    expect.objectContaining({ id: 'REQ-35', was: 'no_test', state: 'not_run', failing: true }),
  ])
  const back = nextOf(sent, 'get_test_context')
  expect(back.args).toMatchObject({ requirement: 'REQ-35' })
  const again = await agent.call(back.tool, back.args)
  expect(read(Context, again).answer).toContain('1 of 1 linked test failed in the newest run')
  // What the test said is data of whoever ran it.
  expect(again.text).toMatch(/<untrusted-\d{15}>[^]*URI malformed[^]*<\/untrusted-/)
})

/** Ids of all gaps, page after page. */
async function allRows(
  first: { data: z.output<typeof Gaps>; next_cursor?: string | undefined },
  args: Record<string, unknown>,
): Promise<string[]> {
  const ids = first.data.rows.map(({ id }) => id)
  if (first.next_cursor === undefined) return ids
  const next = read(Gaps, await agent.call('find_coverage_gaps', { ...args, cursor: first.next_cursor }))
  return [...ids, ...(await allRows(next, args))]
}
