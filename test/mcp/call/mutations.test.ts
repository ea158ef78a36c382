import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApi } from '../../../src/client/client.ts'
import type { Tool } from '../../../src/mcp/define/define.ts'
import { words } from '../../../src/mcp/define/parameters.ts'
import type { RepairKind } from '../../../src/mcp/call/repair/notes.ts'
import { inBatches } from '../../../src/lib/batches.ts'
import { surface } from '../../../src/surface.ts'
import { origin, type App } from '../../app.ts'
import { startSampleApp } from '../../sample-app.ts'
import { argumentValues } from '../arbitrary-arguments.ts'
import { examples } from '../../tools/examples.ts'
import { rememberedReads } from '../../upstream/remembered.ts'
import { draftBranch, recordFailure, scanOnce } from '../checks/calls.ts'
import { closedMachine } from '../checks/machine.ts'
import { connect, eras, type Called, type Connected } from '../clients.ts'
import { connectHttp, serveMcp } from '../http/http-server.ts'
import { hostile, kinds, listMutations, type Mutated } from './mutations.ts'

let app: App
let agent: Connected
const bugs: unknown[] = []
const repairs: [tool: string, kinds: readonly RepairKind[]][] = []
/** Of each thing one that the sample has. */
const known = new Map<string, string>()

beforeAll(async () => {
  app = await startSampleApp()
  const product = { product_id: app.productId }
  const { issues } = await app.api.listIssues({ ...product, status: 'unresolved' })
  const { events } = await app.api.listIssueEvents({ id: issues[0]?.id ?? '' })
  const { environments } = await app.api.listEnvironments(product)
  const { components } = await app.api.listComponents(product)
  const { releases } = await app.api.listReleases(product)
  await recordFailure(app, app.productId)
  const { requirements } = await app.api.listRequirements(product)
  const { tests } = await app.api.listTests(product)
  const first = {
    issue: issues,
    event: events,
    environment: environments,
    component: components,
    release: releases,
    requirement: requirements,
    test: tests,
  }
  for (const [thing, rows] of Object.entries(first)) known.set(thing, rows[0]?.id ?? '')
  known.set('product', app.productId)
  for (const [thing, id] of await draftBranch(app, app.productId)) known.set(thing, id)
  for (const [thing, id] of await scanOnce(app, app.productId)) known.set(thing, id)
  // Thousands of calls ask for the same things, and none of them changes any.
  const answers = rememberedReads(app.service.direct, { until: 'a write' })
  agent = await connect(createApi({ send: answers, baseUrl: origin, token: app.token }), {
    options: { toolsets: ['all'], local: true },
    ...closedMachine,
    onBug: (error) => bugs.push(error),
    onCall: ({ tool, repairs: done }) => {
      if (done.length > 0) repairs.push([tool, done])
    },
  })
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await app.close()
})

/**
 * Arguments that fit and name real things, so that a preview that a slip switches off would write; of a write that has no
 * preview, things that do not exist.
 */
function fitting(tool: Tool): Record<string, unknown> {
  const { oneOf: [, ...others] = [], texts = {} } = examples.get(tool.name) ?? {}
  const harmless = tool.effect === 'read' || 'dry_run' in tool.input.shape
  return Object.fromEntries(
    Object.entries(tool.input.shape).map(([name, schema]) => {
      const thing = words.get(name)?.thing
      const [sample] = fc.sample(argumentValues(schema), { numRuns: 1, seed: 5 })
      if (name === 'dry_run') return [name, true]
      if (name === 'cursor' || others.includes(name)) return [name, undefined]
      if (name in texts) return [name, Array.isArray(sample) ? [texts[name]] : texts[name]]
      // What the issues are not: a change would show.
      if (name === 'status') return [name, 'ignored']
      if (name === 'tests') return [name, (sample as object[]).map(withKnownIssue)]
      if (thing === undefined) return [name, sample]
      const id = (harmless ? known.get(thing) : undefined) ?? 'NONE-999999'
      return [name, Array.isArray(sample) ? [id, id] : id]
    }),
  )
}

function withKnownIssue(test: object): object {
  return 'issue' in test ? { ...test, issue: known.get('issue') } : test
}

async function send(client: Connected, tool: string, args: unknown): Promise<Called> {
  // The clients' types know only arguments that are objects; what is sent is not checked.
  return client.call(tool, args as Record<string, unknown>)
}

/** A member that is empty says nothing, so leaving it out is not worth a word. */
function isEmpty(args: unknown, name: string): boolean {
  const value = typeof args === 'object' && args !== null ? Object.entries(args).find(([key]) => key === name)?.[1] : ''
  const said: unknown = value
  return (
    said === null ||
    (Array.isArray(said) && said.length === 0) ||
    (typeof said === 'string' && /^\s*(?:null|undefined)?\s*$/.test(said))
  )
}

/** Why an answer is not acceptable; undefined if it is. */
function fault(tool: Tool, { args, about }: Mutated, { text, structured, isError }: Called): string | undefined {
  const names = (said: string) => about.some((name) => said.includes(name))
  if (text.includes('(internal')) return 'a bug'
  if (text.includes('evil-package')) return 'echoes a pasted text'
  if (isError) {
    if (text.length > 600) return 'too long'
    // What could be repaired meets a machine of which nothing may be read.
    if (tool.local === true && text.includes('you sent: path')) return undefined
    // One of two is needed, which no schema says: the fewest arguments have neither.
    if (examples.get(tool.name)?.oneOf !== undefined && text.includes('you sent: neither ')) return undefined
    return names(text) ? undefined : 'names no parameter'
  }
  if (tool.input.safeParse(args ?? {}).success || about.every((name) => isEmpty(args, name))) return undefined
  const { adjusted = [] } = structured as { adjusted?: string[] }
  return names([text.split('\n', 1)[0], ...adjusted].join('\n')) ? undefined : 'says nothing of the repair'
}

let read: { version: unknown; contents: ReadonlyMap<string, string> } | undefined

/** Everything that a person would call the data, but when a token was last used. */
async function resultData(from: App, without: readonly string[] = []): Promise<Map<string, string>> {
  // SQLite's number of the commits of other connections: while it stays, so does all that was read.
  const { rows } = await sql`PRAGMA data_version`.execute(from.db.read)
  const version = JSON.stringify(rows)
  if (read?.version !== version) read = { version, contents: await readContents(from) }
  return new Map([...read.contents].filter(([name]) => !without.includes(name)))
}

async function readContents({ db }: App): Promise<Map<string, string>> {
  // Without the tables inside the full-text indexes, which hold numbers that are none here.
  const tables = await sql<{ name: string }>`SELECT name FROM pragma_table_list WHERE type = 'table'`.execute(db.read)
  const contents = new Map<string, string>()
  for (const { name } of tables.rows) {
    if (name === 'token') continue
    const { rows } = await sql`SELECT * FROM ${sql.table(name)}`.execute(db.read)
    contents.set(name, JSON.stringify(rows))
  }
  return contents
}

/** A decision is refused whatever its arguments are, so its errors say nothing of them. */
const mutable = surface.tools.filter(({ effect }) => effect !== 'decide')
/** What a tool without a preview stores of what it returns; it changes nothing else. */
const stored: Readonly<Record<string, readonly string[]>> = {
  compute_quality_gate: ['verdict', 'audit', 'user', 'sqlite_sequence'],
  verify_setup: ['audit', 'user', 'product'],
  distill_intent: ['branch', 'branch_change', 'audit', 'user', 'sqlite_sequence'],
}

describe.each(mutable.map((tool) => [tool.name, tool] as const))('%s', (name, tool) => {
  test('repairs mutated arguments and says so, or returns a helpful error; it neither crashes nor writes', async () => {
    const before = await resultData(app, stored[name])
    const mutated = listMutations(tool.input, fitting(tool))
    const answers = await inBatches(mutated, 8, async (mutation) => ({
      ...mutation,
      answer: await send(agent, name, mutation.args),
    }))
    const faults = answers.flatMap(({ answer, ...mutation }) => {
      const wrong = fault(tool, mutation, answer)
      return wrong === undefined ? [] : [{ wrong, ...mutation, text: answer.text.slice(0, 600) }]
    })
    expect(faults).toEqual([])
    expect(bugs).toEqual([])
    expect(await resultData(app, stored[name])).toEqual(before)
    expect(mutated.length).toBeGreaterThan(20)
    // The check above would pass if nothing were ever repaired; what reads files says in each error what it was given.
    expect(tool.local === true || answers.some(({ answer }) => !answer.isError)).toBe(true)
  })
})

test('there are about 35 kinds of mutations, and each is used', () => {
  const used = new Set(
    surface.tools.flatMap((tool) => listMutations(tool.input, fitting(tool)).map(({ kind }) => kind)),
  )
  expect(kinds.filter((kind) => !used.has(kind))).toEqual([])
  expect(kinds.length).toBeGreaterThanOrEqual(35)
})

test('repairs are counted by tool and kind, without the arguments', async () => {
  repairs.length = 0
  await send(agent, 'find_error_issues', { status: 'OPEN', limit: '1000' })
  await send(agent, 'find_error_issues', { status: 'unresolved' })
  await send(agent, 'find_error_issues', { status: 'zebra' })
  expect(repairs).toEqual([['find_error_issues', ['status', 'clamp']]])
})

describe.each(eras)('a client of %s', (era) => {
  const args = { status: 'OPEN', levels: 'error', limit: '1000', period: '24h' }
  const adjusted = [
    'status "OPEN" -> "unresolved"',
    'levels "error" -> ["error"]',
    'limit "1000" -> 50',
    'period "24h" -> "1d"',
  ]

  test('gets an answer that names the repairs, in both forms', async () => {
    await using client = await connect(app.api, { era })
    const { structured, text } = await client.call('find_error_issues', args)
    expect(structured).toMatchObject({ adjusted })
    for (const note of adjusted) expect(text).toContain(note)
  })

  test('may send its arguments as text, over stdio and HTTP', async () => {
    await using inMemory = await connect(app.api, { era })
    await using served = await serveMcp(app)
    await using overHttp = await connectHttp(`${served.base}/mcp`, app.token, era)
    for (const client of [inMemory, overHttp]) {
      const { structured } = await send(client, 'find_error_issues', JSON.stringify(args))
      expect(structured).toMatchObject({ adjusted: [expect.stringMatching(/^arguments a text of /), ...adjusted] })
      const refused = await send(client, 'find_error_issues', [hostile])
      expect(refused.isError).toBe(true)
      expect(refused.text).toContain('unknown parameter arguments')
    }
  })

  test("gets an error with the valid statuses when it writes another tracker's status", async () => {
    await using client = await connect(app.api, { era })
    const { isError, text } = await client.call('set_error_issue_status', {
      issues: 'SHOP-1',
      status: 'fixed',
      reason: 'x',
    })
    expect(isError).toBe(true)
    expect(text).toContain('"fixed" may mean resolved')
    const { issues } = await app.api.listIssues({ product_id: app.productId, short_id: 'SHOP-1' })
    expect(issues[0]?.status).toBe('unresolved')
  })
})

test("an SDK's event_id is looked up once, and the answer says which occurrence it is", async () => {
  const id = known.get('issue') ?? ''
  const { events } = await app.api.listIssueEvents({ id })
  const oldest = events.at(-1)
  const sdkId = oldest?.sdk_event_id ?? ''
  repairs.length = 0
  const { structured, text } = await send(agent, 'get_error_issue', { issue: id, event: sdkId.toUpperCase() })
  const note = `event: SDK event_id -> occurrence ${oldest?.id ?? ''}`
  expect(structured).toMatchObject({ adjusted: [note], data: { occurrence: { id: oldest?.id } } })
  expect(text).toContain(note)
  expect(repairs).toEqual([['get_error_issue', ['looked_up']]])
  const unknown = await send(agent, 'get_error_issue', { issue: id, event: 'f'.repeat(32) })
  expect(unknown.isError).toBe(true)
  expect(unknown.text).toContain('(wrong_id_kind)')
})
