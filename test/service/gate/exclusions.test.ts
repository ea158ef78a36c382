import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readExclusions } from '../../../src/service/gate/exclusions.ts'
import { startApp } from '../../app.ts'
import { reasonOf, tokenHeaders } from '../people.ts'
import { quarantine } from '../quarantine.ts'
import { openShop } from './shop.ts'
import { tries } from '../../property-tries.ts'

const asAgent = { 'x-svc-via': 'mcp' }
const day = 24 * 60 * 60 * 1000
type By = 'person' | 'agent'
type Exclusions = Awaited<ReturnType<typeof readExclusions>>

/** An app with a clock of its own, and requests by a person or by that person's tool. */
async function open() {
  const clock = { now: Date.parse('2026-03-01T00:00:00Z') }
  const app = await startApp({ platform: { now: () => clock.now } })
  const product = `/v1/products/${app.productId}`
  async function send<T = Made>(by: By, method: string, path: string, body?: object) {
    const reply = await app.request<T>(method, path, body, by === 'agent' ? asAgent : {})
    expect([method, path, reply.status, reply.status < 300 ? '' : reply.body]).toEqual([method, path, 200, ''])
    return reply.body
  }
  const read = (now = clock.now) => readExclusions(app.db.read, Number(app.productId), { now })
  const review = (ids: string[], headers: Record<string, string> = {}) =>
    app.request<{ exclusions: Exclusions }>(
      'POST',
      `${product}/quality-gate:review-exclusions`,
      { exclusion_ids: ids },
      headers,
    )
  return { app, clock, product, send, read, review, [Symbol.asyncDispose]: () => app.close() }
}
type Room = Awaited<ReturnType<typeof open>>

interface Made {
  requirement: { id: string; key: string }
  test: { id: string; key: string }
  issues: { id: string; short_id: string }[]
}

/** An approved requirement of high priority with a linked test, and an issue. */
async function populate({ app, product, send }: Room, name: string) {
  const urgent = { status: 'approved', priority: 'high', risk: 'low' }
  const { requirement } = await send('person', 'POST', `${product}/requirements`, { title: name, ...urgent })
  const { test: made } = await send('person', 'POST', `${product}/tests`, {
    kind: 'case',
    title: name,
    requirement_ids: [requirement.id],
  })
  await app.ingest({ fingerprint: [name] })
  const { issues } = await send('person', 'GET', `${product}/issues`)
  return { requirement, test: made, issue: issues[0]! }
}

const told = (exclusions: Exclusions) =>
  exclusions.map(({ kind, item, by_agent, reviewed_by, reason }) => ({
    kind,
    item: item.key,
    by: by_agent ? 'agent' : 'person',
    seen: reviewed_by !== null,
    reason,
  }))

test('whatever an agent takes out of the gate is listed with its reason until a person has seen it', async () => {
  await using room = await open()
  const { product, send, read, review, clock, app } = room
  const { requirement, test: made, issue } = await populate(room, 'The cart shows the total')
  const [of, on] = [`/v1/requirements/${requirement.id}`, `/v1/tests/${made.id}`]
  const second = await populate(room, 'The cart shows the tax')
  const third = await populate(room, 'The cart shows the discount')
  expect(await read()).toEqual([])

  await send('agent', 'PUT', on, quarantine('fails at night', { now: clock.now }))
  await send('agent', 'PUT', of, { title: 'The cart shows a total', minor_change: true, reason: 'grammar' })
  await send('agent', 'PUT', of, { priority: 'low', normative: false, reason: 'less used' })
  await send('agent', 'POST', `/v1/issues/${issue.id}:setStatus`, { status: 'ignored', note: 'noise' })
  await send('agent', 'POST', `${product}/issues:bulkSetStatus`, { issue_ids: [second.issue.id], status: 'resolved' })
  await send('agent', 'DELETE', `${on}/links/${requirement.id}?reason=wrong%20one`)
  await send('agent', 'PUT', `/v1/requirements/${second.requirement.id}`, { status: 'deprecated' })
  await send('agent', 'PUT', `/v1/tests/${second.test.id}`, { status: 'deprecated', reason: 'gone' })
  await send('agent', 'DELETE', `/v1/tests/${third.test.id}`)
  await send('agent', 'DELETE', `/v1/requirements/${third.requirement.id}?reason=not%20ours`)
  const by = { by: 'agent', seen: false, reason: '' }
  const all = [
    { ...by, kind: 'requirement_deleted', item: 'REQ-3', reason: 'not ours' },
    { ...by, kind: 'test_deleted', item: 'TC-3' },
    { ...by, kind: 'test_deprecated', item: 'TC-2', reason: 'gone' },
    { ...by, kind: 'requirement_deprecated', item: 'REQ-2' },
    { ...by, kind: 'link_removed', item: 'TC-1 > REQ-1', reason: 'wrong one' },
    { ...by, kind: 'issue_resolved', item: second.issue.short_id },
    { ...by, kind: 'issue_ignored', item: issue.short_id, reason: 'noise' },
    { ...by, kind: 'requirement_lowered', item: 'REQ-1', reason: 'less used' },
    { ...by, kind: 'requirement_not_normative', item: 'REQ-1', reason: 'less used' },
    { ...by, kind: 'minor_change', item: 'REQ-1', reason: 'grammar' },
    { ...by, kind: 'quarantined', item: 'TC-1', reason: 'fails at night' },
  ]
  expect(told(await read())).toEqual(all)

  const ids = (await read()).map(({ id }) => id)
  const refused = await review(ids, asAgent)
  expect([refused.status, reasonOf(refused)]).toEqual([403, 'PERSON_REQUIRED'])
  const scopeless = await review(ids, await tokenHeaders(app))
  expect(reasonOf(scopeless)).toBe('SCOPE_MISSING')
  expect((await review([...ids, 'nothing'])).status).toBe(404)
  expect(told(await read())).toEqual(all)
  const done = await review(ids)
  expect(told(done.body.exclusions)).toEqual(all.map((one) => ({ ...one, seen: true })))
  expect(await read()).toEqual(done.body.exclusions)
  expect(await app.db.read.selectFrom('audit').select('verb').where('verb', '=', 'review').execute()).toHaveLength(11)

  await send('agent', 'PUT', on, { quarantine_reason: 'fails at noon, too' })
  expect(told(await read())[0]).toMatchObject({ kind: 'quarantined', seen: false, reason: 'fails at noon, too' })
  // Three weeks after its end the quarantine is not in effect; what was seen 30 days ago is not listed.
  expect(await read(clock.now + 30 * day)).toEqual([])
})

test('what an agent confirms or sends as missing is listed; what an event reopens, or a report brings back, is not', async () => {
  await using room = await open()
  const { app, product, send, read } = room
  const { requirement, test: made, issue } = await populate(room, 'The cart shows the total')
  const link = { requirement_id: requirement.id, confirm: true, reason: 'it still does' }
  await send('agent', 'POST', `/v1/tests/${made.id}/links`, link)
  expect(await read()).toEqual([])
  await send('person', 'PUT', `/v1/requirements/${requirement.id}`, { title: 'The cart shows the sum' })
  await send('agent', 'POST', `/v1/tests/${made.id}/links`, link)
  const confirmed = { kind: 'link_confirmed', item: 'TC-1 > REQ-1', by: 'agent', seen: false, reason: 'it still does' }
  expect(told(await read())).toEqual([confirmed])
  await send('person', 'PUT', `/v1/requirements/${requirement.id}`, { title: 'The cart shows each sum' })
  expect(await read()).toEqual([])

  const report = (...names: string[]) =>
    send('agent', 'POST', `${product}/tests:ingest`, {
      draft: {
        content: `<testsuites><testsuite name="cart">${names.map((name) => `<testcase classname="cart" file="cart.test.ts" name="${name}"/>`).join('')}</testsuite></testsuites>`,
      },
      options: { missing_policy: 'MISSING_POLICY_DEPRECATE' },
    })
  await report('adds up', 'rounds')
  await report('adds up')
  expect(told(await read())).toMatchObject([{ kind: 'test_deprecated', item: 'TC-4', by: 'agent', seen: false }])
  await report('adds up', 'rounds', 'again')
  expect(await read()).toEqual([])

  await send('agent', 'POST', `/v1/issues/${issue.id}:setStatus`, { status: 'ignored', ignore_until: { count: 1 } })
  await app.ingest({ fingerprint: ['The cart shows the total'] })
  expect(told(await read())).toMatchObject([{ kind: 'issue_ignored' }])
  await app.ingest({ fingerprint: ['The cart shows the total'] })
  // Whoever has the public key opens it for people, not for the gate.
  expect(told(await read())).toMatchObject([{ kind: 'issue_ignored' }])
  await send('person', 'POST', `/v1/issues/${issue.id}:setStatus`, { status: 'unresolved' })
})

/** Each command: what it sends, and what it says of the state of one kind of exclusion. */
const commands = {
  approve: ['status', 'approved'],
  draft: ['status', 'draft'],
  deprecate: ['status', 'deprecated'],
  demand: ['normative', 'in'],
  waive: ['normative', 'requirement_not_normative'],
  raise: ['priority', 'in'],
  lower: ['priority', 'requirement_lowered'],
  retire: ['test', 'test_deprecated'],
  revive: ['test', 'in'],
  hold: ['quarantine', 'quarantined'],
  release: ['quarantine', 'in'],
  unlink: ['link', 'link_removed'],
  link: ['link', 'in'],
  ignore: ['issue', 'issue_ignored'],
  resolve: ['issue', 'issue_resolved'],
  reopen: ['issue', 'in'],
} as const
type Command = keyof typeof commands
interface Held {
  kind: string
  by: By
  seen: boolean
}

async function perform(
  { send, clock }: Room,
  made: Awaited<ReturnType<typeof populate>>,
  command: Command,
  by: By,
  held: boolean,
) {
  const requirement = (body: object) => send(by, 'PUT', `/v1/requirements/${made.requirement.id}`, body)
  const one = (body: object) => send(by, 'PUT', `/v1/tests/${made.test.id}`, body)
  const issue = (status: string) => send(by, 'POST', `/v1/issues/${made.issue.id}:setStatus`, { status })
  const links = `/v1/tests/${made.test.id}/links`
  const performed = {
    approve: () => requirement({ status: 'approved' }),
    draft: () => requirement({ status: 'draft' }),
    deprecate: () => requirement({ status: 'deprecated' }),
    demand: () => requirement({ normative: true }),
    waive: () => requirement({ normative: false }),
    raise: () => requirement({ priority: 'critical' }),
    lower: () => requirement({ priority: 'medium' }),
    retire: () => one({ status: 'deprecated' }),
    revive: () => one({ status: 'active' }),
    hold: () => one(held ? { quarantined: true } : quarantine('slow', { now: clock.now })),
    release: () => one({ quarantined: false }),
    unlink: () => (held ? Promise.resolve() : send(by, 'DELETE', `${links}/${made.requirement.id}`)),
    link: () => send(by, 'POST', links, { requirement_id: made.requirement.id }),
    ignore: () => issue('ignored'),
    resolve: () => issue('resolved'),
    reopen: () => issue('unresolved'),
  } satisfies Record<Command, () => Promise<unknown>>
  await performed[command]()
}

/** The kind of exclusion that a status of an approved requirement makes. */
const statusKinds: Readonly<Record<string, string>> = {
  approved: 'in',
  draft: 'requirement_unapproved',
  deprecated: 'requirement_deprecated',
}

test('any sequence of exclusions and their reversals leaves exactly the exclusions in effect', async () => {
  await using room = await open()
  let run = 0
  const step = fc.record({
    command: fc.constantFrom(...(Object.keys(commands) as Command[])),
    by: fc.constantFrom<By>('person', 'agent'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const made = await populate(room, `Requirement ${String(++run)}`)
      const expected = new Map<string, Held>()
      for (const { command, by } of steps) {
        const [slot, target] = commands[command]
        const kind = slot === 'status' ? statusKinds[target] : target
        const before = expected.get(slot)
        await perform(room, made, command, by, before?.kind === kind)
        if (kind === undefined || kind === 'in') expected.delete(slot)
        else if (before?.kind !== kind) expected.set(slot, { kind, by, seen: by === 'person' })
        // A link that is removed already cannot be removed again.
        else if (by === 'person' && command !== 'unlink') expected.set(slot, { ...before, seen: true })
      }
      const own = [
        made.requirement.key,
        made.test.key,
        made.issue.short_id,
        `${made.test.key} > ${made.requirement.key}`,
      ]
      const found = told(await room.read()).filter(({ item }) => own.includes(item))
      const seen = found.map(({ kind, by, seen: isSeen }) => ({ kind, by, seen: isSeen }))
      expect(seen.toSorted(byKind)).toEqual([...expected.values()].toSorted(byKind))
    }),
    { numRuns: tries(40) },
  )
})

function byKind(left: { kind: string }, right: { kind: string }): number {
  return left.kind.localeCompare(right.kind)
}

test('an agent that gives the environment of an issue a lesser kind is listed, once what happens there is vouched for', async () => {
  await using app = await startApp()
  const shop = await openShop(app)
  const lower = (name: string) => shop.must('POST', `${shop.path}/environments`, { name, kind: 'development' }, asAgent)
  await shop.event('public', { message: 'Anyone', environment: 'staging-eu' })
  await shop.event('server', { message: 'Ours', environment: 'production-eu' })
  for (const name of ['staging-eu', 'production-eu']) await lower(name)
  const lowered = (await readExclusions(app.db.read, Number(shop.path.split('/').at(-1)), { now: Date.now() })).map(
    ({ kind, item, by_agent }) => [kind, item.key, by_agent],
  )
  expect(lowered).toEqual([['environment_lowered', 'production-eu', true]])
})
