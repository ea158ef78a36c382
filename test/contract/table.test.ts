import { existsSync, globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { pathParameters } from '../../src/contract/base/endpoint.ts'
import { contract } from '../../src/contract/index.ts'
import specified from './specification-endpoints.json' with { type: 'json' }
import { definition, endpoints, timesIn } from './walk.ts'

const specification = new URL('../../../shared/spec/service-api.md', import.meta.url)
const hasSpecification = existsSync(specification)
if (!hasSpecification) console.log('skipped: the specification is not beside this checkout; its copy in test/ is used')

/** Endpoints that the specification does not have. */
const ours = ['GET /v1/issues/{id}/events:batchGet', 'POST /v1/products/{product_id}/quality-gate:review-exclusions']

test('the table contains the endpoints of the specification, in its order, and those of our own', () => {
  const table = endpoints.map(([, { method, path }]) => `${method} ${path}`)
  expect(table.filter((line) => !ours.includes(line))).toEqual(specified)
  expect(table).toEqual(expect.arrayContaining(ours))
  expect(specified).toHaveLength(68)
})

test.skipIf(!hasSpecification)('the copy of the endpoint list equals the specification', () => {
  const rows = readFileSync(specification, 'utf8').matchAll(/^\| (GET|POST|PUT|DELETE) \| (\/v1\/\S+) \|/gm)
  expect([...rows].map(([, method, path]) => `${method} ${path}`)).toEqual(specified)
})

test.each(endpoints)('%s has every parameter of its path as required text', (_, { path, input }) => {
  const names = pathParameters(path)
  expect(new Set(names).size).toBe(names.length)
  expect(Object.keys(input.shape)).toEqual(expect.arrayContaining(names))
  const shape: z.ZodRawShape = input.shape
  for (const name of names) expect(definition(shape[name] ?? z.never()).type).toBe('string')
})

test('no path parameter of the specification is in the query or the body', () => {
  const withOwnId = endpoints.filter(
    ([, { path, input }]) => 'id' in input.shape && !pathParameters(path).includes('id'),
  )
  expect(withOwnId.map(([name]) => name)).toEqual([])
})

test('every reason in the table is one that the service gives', () => {
  const files = globSync('../../src/service/**/*.ts', { cwd: import.meta.dirname })
  const source = files.map((file) => readFileSync(new URL(file, import.meta.url), 'utf8')).join('')
  const unknown = endpoints.flatMap(([name, { reasons }]) =>
    reasons.filter((reason) => !source.includes(`'${reason}'`)).map((reason) => `${name} ${reason}`),
  )
  expect(unknown).toEqual([])
})

test('no request takes a time that a result cannot write', () => {
  const times = endpoints.flatMap(([name, { input }]) => timesIn(input).map((time) => [name, time] as const))
  expect(times.length).toBeGreaterThan(5)
  for (const [name, time] of times)
    expect([name, time.safeParse('9999-12-31T23:59:59-14:00').success]).toEqual([name, false])
})

test('exactly the paged endpoints accept and return page tokens', () => {
  for (const [name, { input, returns }] of endpoints) {
    expect([name, 'page_token' in input.shape]).toEqual([name, 'next_page_token' in returns.shape])
    expect([name, 'page_size' in input.shape]).toEqual([name, 'pagination' in returns.shape])
  }
  const lists = endpoints.filter(([name]) => name.startsWith('list'))
  expect(lists.filter(([, { method, input }]) => method !== 'GET' || !('page_token' in input.shape))).toEqual([])
})

test('a POST is retried only if it is idempotent', () => {
  const repeated = endpoints.filter(([, { method, retry }]) => method === 'POST' && retry !== 'never')
  expect(repeated.map(([name]) => name).toSorted()).toEqual(
    [
      'bulkSetIssueStatus',
      'cancelAgentRun',
      'computeGate',
      'confirmSourceMap',
      'linkTest',
      'reviewExclusions',
      'setIssueStatus',
      'upsertRelease',
      'verifySetup',
    ].toSorted(),
  )
  const usual = { GET: 'read', PUT: 'idempotent', DELETE: 'idempotent' }
  for (const [name, { method, retry }] of endpoints)
    expect([name, retry]).toEqual([name, method === 'POST' ? retry : usual[method]])
})

test('every POST accepts an idempotency key', () => {
  const without = endpoints.filter(([, { method, input }]) => method === 'POST' && !('request_id' in input.shape))
  expect(without.map(([name]) => name)).toEqual([])
})

test('reads require the scope read, writes the scope write, and these another one', () => {
  const others: Record<string, string> = {
    acceptRisk: 'gate:accept',
    approveRisk: 'gate:approve',
    reviewExclusions: 'gate:approve',
    startAgentRun: 'agents:run',
    cancelAgentRun: 'agents:run',
  }
  for (const [name, { method, scope }] of endpoints)
    expect([name, scope]).toEqual([name, others[name] ?? (method === 'GET' ? 'read' : 'write')])
})

test('bodies are at most 4 MiB, reports 32 MiB, intent 2 MiB', () => {
  const mib = 1024 * 1024
  const others: Record<string, number> = { ingestTests: 32 * mib, distillIntent: 2 * mib }
  for (const [name, { bodyLimitBytes }] of endpoints)
    expect([name, bodyLimitBytes]).toEqual([name, others[name] ?? 4 * mib])
})

test('one endpoint streams, which its type shows', () => {
  const streams: 'event' = contract.streamAgentRunEvents.stream.member
  const answers: undefined = contract.listAgentRunEvents.stream
  expect([streams, answers]).toEqual(['event', undefined])
  expect(endpoints.filter(([, { stream }]) => stream).map(([name]) => name)).toEqual(['streamAgentRunEvents'])
})

test.each([
  ['updateRequirement', contract.updateRequirement],
  ['updateTest', contract.updateTest],
] as const)('%s keeps absent and null apart', (_, { input }) => {
  expect(input.parse({ id: 'a' })).toEqual({ id: 'a' })
  expect(input.parse({ id: 'a', tags: null, status: null })).toEqual({ id: 'a', tags: null, status: null })
  expect(input.safeParse({ id: 'a', title: null }).success).toBe(false)
})

test("failures of every endpoint are not repeated among an endpoint's own", () => {
  const everywhere = ['unauthenticated', 'permission_denied', 'resource_exhausted', 'internal', 'unavailable']
  for (const [name, { fails }] of endpoints)
    expect([name, fails.filter((code) => everywhere.includes(code))]).toEqual([name, []])
})
