import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, type Called, type Connected } from '../mcp/clients.ts'
import type { App } from '../app.ts'
import { startSampleApp } from '../sample-app.ts'

let app: App
beforeAll(async () => {
  app = await startSampleApp()
})
afterAll(async () => {
  await app.close()
})

interface Row {
  id: string
  state?: string
  times_seen: number
  environments?: string
  component?: string
  first_release?: string
}

interface Fix {
  data: { files?: { file: string; why: string }[]; source_maps?: string; same_cause?: { id: string }[] }
}

/** More than ten rows, as the structured result has them. */
interface Table {
  columns: string[]
  rows: unknown[][]
}

/** What a person decides about an issue, from what the two tools said. */
type Decision = 'watch: not a crash' | `fix: ${string}` | 'send source maps' | `with ${string}` | `later: ${string}`

const CALLS = 12
const TOKENS = 12_000

/** Calls tools and adds up what an agent reads. */
function meter(agent: Connected) {
  const spent = { calls: 0, tokens: 0 }
  const call = async (tool: string, args: Record<string, unknown>): Promise<Called> => {
    const called = await agent.call(tool, args)
    if (called.isError) throw new Error(called.text)
    spent.calls += 1
    spent.tokens += countTokens(called.text)
    return called
  }
  return { spent, call }
}

function readRows({ columns, rows }: Table): Row[] {
  return rows.map((cells) =>
    Object.fromEntries(cells.map((cell, at) => [columns[at], cell ?? undefined])),
  ) as unknown as Row[]
}

/** New and returned issues first, then those that nobody catches, then the frequent ones. */
function byUrgency(one: Row, other: Row): number {
  const rank = ({ state = '' }: Row) =>
    /regressed/.test(state) ? 3 : /new/.test(state) ? 2 : /unhandled|fatal/.test(state) ? 1 : 0
  return rank(other) - rank(one) || other.times_seen - one.times_seen
}

function decideFromRow({ state = '', component, environments, first_release: release }: Row): Decision | undefined {
  if (/warning|info/.test(state)) return 'watch: not a crash'
  return component && environments && release ? `later: ${component}` : undefined
}

function decideFromContext({ data }: Fix): Decision | undefined {
  const crash = data.files?.find(({ why }) => why === 'crash') ?? data.files?.[0]
  if (crash !== undefined) return `fix: ${crash.file}`
  return data.source_maps === undefined ? undefined : 'send source maps'
}

test('a page of 15 issues of the sample costs at most 900 tokens as text and 960 as JSON', async () => {
  await using agent = await connect(app.api)
  const { text, structured } = await agent.call('find_error_issues')
  expect(text).toContain('15 shown here')
  console.log(`15 issues: ${countTokens(text)} tokens as text, ${countTokens(JSON.stringify(structured))} as JSON`)
  expect(countTokens(text)).toBeLessThanOrEqual(900)
  expect(countTokens(JSON.stringify(structured))).toBeLessThanOrEqual(960)
})

test(`the sample's 25 issues are triaged in ${CALLS} calls and ${TOKENS} tokens`, async () => {
  await using agent = await connect(app.api)
  const { spent, call } = meter(agent)
  const list = await call('find_error_issues', { limit: 25 })
  const rows = readRows((list.structured as { data: { rows: Table } }).data.rows)
  const decided = new Map<string, Decision>()
  const urgent = rows.filter(({ state = '' }) => !/warning|info/.test(state)).toSorted(byUrgency)
  for (const { id } of urgent) {
    if (spent.calls === CALLS || spent.tokens > TOKENS - 1300 || decided.has(id)) continue
    const fix = (await call('get_fix_context', { issue: id })).structured as Fix
    const decision = decideFromContext(fix)
    if (decision !== undefined) decided.set(id, decision)
    for (const same of fix.data.same_cause ?? []) decided.set(same.id, `with ${id}`)
  }
  for (const row of rows) {
    const decision = decided.get(row.id) ?? decideFromRow(row)
    if (decision !== undefined) decided.set(row.id, decision)
  }
  console.log(`triage of ${rows.length} issues: ${spent.calls} calls, ${spent.tokens} tokens`)
  console.log([...decided].map(([id, decision]) => `${id} ${decision}`).join('\n'))
  expect(rows).toHaveLength(25)
  expect(rows.filter(({ id }) => !decided.has(id))).toEqual([])
  expect(spent.calls).toBeLessThanOrEqual(CALLS)
  expect(spent.tokens).toBeLessThanOrEqual(TOKENS)
})
