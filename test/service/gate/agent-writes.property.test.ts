import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startApp, type App } from '../../app.ts'
import { tokenHeaders } from '../people.ts'
import { quarantine } from '../quarantine.ts'
import { openShop, type Identified, type Shop } from './shop.ts'
import { tries } from '../../property-tries.ts'

/** What agents try their writes on. */
interface Stage {
  shop: Shop
  requirements: Identified[]
  tests: Identified[]
  suite: Identified
  issues: Identified[]
  environment: Identified
  release: Identified
}

const crash = { fingerprint: ['crash'], environment: 'production', release: '1.0.0' }

/** What makes a product fail that passes otherwise; each returns the requirements that it made. */
const blockers = {
  'a requirement without a test': async ({ shop }) => [await shop.requirement()],
  'a requirement with a criterion without a test': async ({ shop, tests: [, spare] }) => {
    const both = await shop.must<{ requirement: Identified & { acceptance_criteria: Identified[] } }>(
      'POST',
      `${shop.path}/requirements`,
      {
        title: 'Discounts are right',
        status: 'APPROVED',
        priority: 'CRITICAL',
        acceptance_criteria: [{ text: 'a' }, { text: 'b' }],
      },
    )
    await shop.link(spare!, both.requirement, { criterion_ids: [both.requirement.acceptance_criteria[0]!.id] })
    return [both.requirement]
  },
  'a requirement with a test that only exercises it': async ({ shop, tests: [, spare] }) => {
    const made = await shop.requirement()
    await shop.link(spare!, made, { role: 'EXERCISES' })
    return [made]
  },
  'a requirement with a suspect link': async ({ shop, tests: [, spare] }) => {
    const made = await shop.requirement()
    await shop.link(spare!, made)
    await shop.must('PUT', `/v1/requirements/${made.id}`, { title: 'The total is right again' })
    return [made]
  },
  'a requirement whose test did not run': async ({ shop }) => {
    const made = await shop.requirement()
    await shop.link(await shop.test('never runs'), made)
    return [made]
  },
  'a requirement that an empty suite verifies': async ({ shop, suite }) => {
    const made = await shop.requirement()
    await shop.link(suite, made)
    return [made]
  },
  'a failing test': async ({ shop, requirements: [first], tests }) => {
    const red = await shop.test('fails')
    tests.unshift(red)
    await shop.link(red, first!)
    await shop.report({ fails: 'failed' }, { run_key: 'red' })
    return []
  },
  'a new issue': async ({ shop }) => {
    await shop.event('server', crash)
    return []
  },
  'an issue that came back': async ({ shop }) => {
    await shop.event('server', { ...crash, timestamp: Date.now() / 1000 - 30 * 86_400 })
    const { issues } = await shop.must<{ issues: Identified[] }>('GET', `${shop.path}/issues`)
    await shop.must('POST', `/v1/issues/${issues[0]!.id}:setStatus`, { status: 'resolved' })
    await shop.must('POST', `${shop.path}/releases`, { version: '1.1.0', environment: 'production' })
    await shop.event('server', { ...crash, release: '1.1.0' })
    return []
  },
  'an exclusion by an agent': async ({ shop }) => {
    const gone = await shop.test('gone')
    await shop.must('DELETE', `/v1/tests/${gone.id}`, undefined, { 'x-svc-via': 'mcp' })
    return []
  },
  'a requirement whose test a person put into quarantine': async ({ shop, tests: [, spare] }) => {
    const made = await shop.requirement()
    await shop.link(spare!, made)
    await shop.must('PUT', `/v1/tests/${spare!.id}`, quarantine('slow'))
    return [made]
  },
  'a requirement whose test a person deprecated': async ({ shop, tests: [, spare] }) => {
    const made = await shop.requirement()
    await shop.link(spare!, made)
    await shop.must('PUT', `/v1/tests/${spare!.id}`, { status: 'DEPRECATED' })
    return [made]
  },
} satisfies Record<string, (stage: Stage) => Promise<Identified[]>>

async function setStage(app: App, blocker: keyof typeof blockers): Promise<Stage> {
  const shop = await openShop(app)
  const first = await shop.requirement()
  const tests = [await shop.test('adds up'), await shop.test('rounds')]
  await shop.link(tests[0]!, first)
  await shop.report({ 'adds up': 'passed', rounds: 'passed' })
  const suite = await shop.test('Carts', { kind: 'SUITE', automation_ref: undefined })
  const { release } = await shop.must<{ release: Identified & { environment_id: string } }>(
    'POST',
    `${shop.path}/releases`,
    { version: '1.0.0', environment: 'production' },
  )
  const environment = { id: release.environment_id }
  const stage = { shop, requirements: [first], tests, suite, issues: [], environment, release }
  const more = await blockers[blocker](stage)
  const { issues } = await shop.must<{ issues: Identified[] }>('GET', `${shop.path}/issues`)
  return { ...stage, requirements: [...more, first], issues }
}

/** Which of the things of its kind a write is about. */
const which = fc.nat({ max: 1 })
const write = fc.oneof(
  fc.record({
    on: fc.constant('requirement' as const),
    which,
    body: fc.constantFrom<object[]>(
      { status: 'DEPRECATED' },
      { status: 'DRAFT' },
      { status: 'APPROVED' },
      { priority: 'LOW', risk: 'LOW' },
      { priority: 'CRITICAL' },
      { normative: false },
      { kind: 'GROUP' },
      { normative: true, kind: 'FUNCTIONAL' },
      { acceptance_criteria: [] },
      { acceptance_criteria: [], minor_change: true },
      { title: 'The sum is right' },
      { title: 'The sum is right', minor_change: true },
    ),
  }),
  fc.record({
    on: fc.constant('test' as const),
    which,
    body: fc.constantFrom<object[]>(
      { status: 'DEPRECATED' },
      { status: 'ACTIVE' },
      quarantine('slow'),
      { quarantined: false },
      { title: 'adds' },
      { automation_ref: null },
      { automation_ref: { file_path: 'test/other.test.ts', suite_path: [], name: 'other' } },
    ),
  }),
  fc.record({ on: fc.constant('move' as const), which, into: fc.boolean() }),
  fc.record({
    on: fc.constant('link' as const),
    which,
    test: fc.constantFrom(0, 1, 2, 9),
    body: fc.constantFrom<object[]>(
      {},
      { role: 'VERIFIES' },
      { role: 'VERIFIES', criterion_ids: [] },
      { role: 'PARTIALLY_VERIFIES' },
      { role: 'EXERCISES' },
      { confirm: true, reason: 'it still does' },
    ),
  }),
  fc.record({ on: fc.constant('unlink' as const), which, test: fc.constantFrom(0, 1, 2, 9) }),
  fc.record({ on: fc.constantFrom('delete requirement' as const, 'delete test' as const), which }),
  fc.record({
    on: fc.constant('create' as const),
    what: fc.constantFrom('requirement', 'test', 'component', 'environment'),
    which,
  }),
  fc.record({
    on: fc.constantFrom('issue' as const, 'issues' as const),
    body: fc.constantFrom<object[]>(
      { status: 'ignored' },
      { status: 'ignored', ignore_until: { count: 3 } },
      { status: 'resolved' },
      // A release in which it occurred does not have the fix.
      { status: 'resolved', fixed_in: { release: '1.0.0' } },
      { status: 'unresolved' },
    ),
  }),
  fc.record({ on: fc.constant('delete environment' as const) }),
  fc.record({
    on: fc.constant('release' as const),
    body: fc.constantFrom<object[]>(
      { version: '1.0.0' },
      { version: '1.0.0', git_branch: 'feature' },
      { version: '1.0.0', released_at: '2030-01-01T00:00:00Z' },
      { version: '2.0.0' },
    ),
  }),
  fc.record({ on: fc.constantFrom('policy' as const, 'accept' as const, 'review' as const) }),
)
type Write = typeof write extends fc.Arbitrary<infer W> ? W : never

/** Sends one write, which may be refused. */
async function perform(stage: Stage, one: Write, headers: Record<string, string>): Promise<unknown> {
  const { shop, requirements, tests, suite, issues, environment } = stage
  const { path } = shop
  const of = <T>(list: readonly T[], at: number) => list[at % list.length]!
  const send = (method: string, to: string, body?: object) => shop.send(method, to, body, headers)
  switch (one.on) {
    case 'requirement':
      return send('PUT', `/v1/requirements/${of(requirements, one.which).id}`, one.body)
    case 'test':
      return send('PUT', `/v1/tests/${of(tests, one.which).id}`, one.body)
    case 'move':
      return send('PUT', `/v1/tests/${of(tests, one.which).id}`, { parent_id: one.into ? suite.id : '' })
    case 'link': {
      const on = one.test === 9 ? suite : of(tests, one.test)
      return send('POST', `/v1/tests/${on.id}/links`, { requirement_id: of(requirements, one.which).id, ...one.body })
    }
    case 'unlink': {
      const on = one.test === 9 ? suite : of(tests, one.test)
      return send('DELETE', `/v1/tests/${on.id}/links/${of(requirements, one.which).id}`)
    }
    case 'delete requirement':
      return send('DELETE', `/v1/requirements/${of(requirements, one.which).id}?recursive=true`)
    case 'delete test':
      return send('DELETE', `/v1/tests/${of(tests, one.which).id}`)
    case 'create':
      return create(stage, one, send)
    case 'issue':
      return issues[0] === undefined ? undefined : send('POST', `/v1/issues/${issues[0].id}:setStatus`, one.body)
    case 'issues':
      return send('POST', `${path}/issues:bulkSetStatus`, { issue_ids: issues.map(({ id }) => id), ...one.body })
    case 'delete environment':
      return send('DELETE', `/v1/environments/${environment.id}`)
    case 'release':
      return send('POST', `${path}/releases`, { environment: 'production', ...one.body })
    case 'policy':
      return send('POST', `${path}/quality-gate:compute`, { policy_override: { conditions: [] } })
    case 'accept': {
      const reason = 'The failing items are known and harmless.'
      const accepted = await shop.send<{ risk?: Identified }>(
        'POST',
        `${path}/quality-gate:accept-risk`,
        { condition_ids: ['failing_tests', 'critical_coverage'], reason },
        headers,
      )
      const risk = accepted.body.risk?.id ?? 'none'
      return send('POST', `${path}/quality-gate:approve-risk`, { risk_id: risk, way: 'PAGE' })
    }
    case 'review': {
      const read = await shop.send<{ verdict: { exclusions: Identified[] } }>(
        'POST',
        `${path}/quality-gate:compute`,
        {},
      )
      const ids = read.body.verdict.exclusions.map(({ id }) => id)
      return send('POST', `${path}/quality-gate:review-exclusions`, { exclusion_ids: ids })
    }
  }
}

async function create(
  { shop: { path }, requirements, suite }: Stage,
  { what, which: at }: Extract<Write, { on: 'create' }>,
  send: (method: string, to: string, body?: object) => Promise<unknown>,
): Promise<unknown> {
  const requirement = requirements[at % requirements.length]!
  if (what === 'requirement')
    return send('POST', `${path}/requirements`, { title: 'Another', status: 'DRAFT', parent_id: requirement.id })
  if (what === 'test')
    return send('POST', `${path}/tests`, {
      kind: 'CASE',
      title: 'adds up',
      parent_id: suite.id,
      requirement_ids: [requirement.id],
    })
  if (what === 'component') return send('POST', `${path}/components`, { name: 'cart', path_globs: ['src/cart/**'] })
  return send('POST', `${path}/environments`, { name: at === 0 ? 'production' : 'eu', kind: 'TEST' })
}

test('no sequence of writes by an agent, without a new result, makes a failing product pass in any scope', async () => {
  await using app = await startApp()
  const agent = await tokenHeaders(app, { kind: 'agent', scopes: ['write', 'gate:accept', 'gate:approve'] })
  const by = fc.constantFrom<Record<string, string>>(agent, { 'x-svc-via': 'mcp' })
  for (const blocker of Object.keys(blockers) as (keyof typeof blockers)[]) {
    await fc.assert(
      fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 6, size: 'max' }), by, async (writes, headers) => {
        const stage = await setStage(app, blocker)
        const scopes = [{}, { environment_id: stage.environment.id }, { release_id: stage.release.id }]
        const failing = await filter(scopes, async (scope) => (await stage.shop.compute(scope)).status === FAIL)
        expect([blocker, failing]).not.toEqual([blocker, []])
        for (const one of writes) await perform(stage, one, headers)
        for (const scope of failing) {
          // A scope whose environment is gone has no verdict.
          const { body } = await compute(stage.shop, scope)
          expect([blocker, scope, body.verdict?.status ?? FAIL]).toEqual([blocker, scope, expect.stringMatching(open)])
        }
      }),
      {
        numRuns: tries(10),
        // A test that proves one criterion moves into a suite that is linked for all.
        examples: [
          [
            [
              { on: 'link', which: 0, test: 9, body: {} },
              { on: 'move', which: 1, into: true },
            ],
            agent,
          ],
        ],
      },
    )
  }
}, 240_000)

const FAIL = 'VERDICT_STATUS_FAIL'
const open = /FAIL|INCONCLUSIVE/

function compute(shop: Shop, scope: object) {
  return shop.send<{ verdict?: { status: string } }>('POST', `${shop.path}/quality-gate:compute`, scope)
}

async function filter<T>(all: readonly T[], holds: (one: T) => Promise<boolean>): Promise<T[]> {
  const found: T[] = []
  for (const one of all) if (await holds(one)) found.push(one)
  return found
}
