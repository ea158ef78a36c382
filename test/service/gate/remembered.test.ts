import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readExclusions } from '../../../src/service/gate/exclusions.ts'
import type { GateScope } from '../../../src/service/gate/scope.ts'
import { choosePolicy, readInputs } from '../../../src/service/gate/verdict/compute.ts'
import { dayMs, hourMs } from '../../../src/service/shared/times.ts'
import type { Rows } from '../../../src/service/sql/database.ts'
import { openDatabase, openForReading } from '../../../src/service/sql/open/index.ts'
import { startApp, type App } from '../../app.ts'
import { quarantine } from '../quarantine.ts'
import { openShop, type Identified, type Shop } from './shop.ts'
import { tries } from '../../property-tries.ts'

const asTool = { 'x-svc-via': 'mcp' }
const versions = ['1.0.0', '1.1.0', '1.2.0'] as const
const by = fc.constantFrom('person', 'agent')
const which = fc.nat(20)

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      is: fc.constant('event' as const),
      key: fc.constantFrom('public' as const, 'server' as const),
      fingerprint: fc.constantFrom('one', 'two', 'three', 'four'),
      message: fc.constantFrom('broken', 'broken', 'damaged'),
      release: fc.constantFrom('', ...versions),
      environment: fc.constantFrom('production', 'qa'),
      level: fc.constantFrom('error', 'warning'),
      agoMs: fc.constantFrom(0, 0, 3 * dayMs, 9 * dayMs),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      is: fc.constant('status' as const),
      which,
      by,
      change: fc.constantFrom(
        { status: 'resolved' },
        { status: 'resolved', fixed_in: { release: '1.1.0' } },
        { status: 'ignored' },
        { status: 'unresolved' },
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ is: fc.constant('release' as const), version: fc.constantFrom(...versions), inMs: which }),
  },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('hold' as const), by, days: fc.constantFrom(1, 7) }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('review' as const), which }) },
  {
    weight: 5,
    arbitrary: fc.record({
      is: fc.constant('edit' as const),
      by,
      edit: fc.constantFrom(
        { on: 'requirement' as const, to: { title: 'The sum is right' } },
        { on: 'requirement' as const, to: { title: 'Sums are right', minor_change: true } },
        { on: 'requirement' as const, to: { status: 'DEPRECATED' } },
        { on: 'requirement' as const, to: { status: 'APPROVED' } },
        { on: 'requirement' as const, to: { priority: 'LOW' } },
        { on: 'requirement' as const, to: { normative: false } },
        { on: 'requirement' as const, to: { priority: 'CRITICAL', normative: true } },
        { on: 'test' as const, to: { title: 'sums' } },
        { on: 'test' as const, to: { status: 'DEPRECATED' } },
        { on: 'test' as const, to: { status: 'ACTIVE' } },
        { on: 'link' as const, to: { role: 'VERIFIES' } },
        { on: 'link' as const, to: { confirm: true, reason: 'it still does' } },
        { on: 'unlink' as const },
      ),
    }),
  },
  // A member who names an issue vouches for it.
  { weight: 2, arbitrary: fc.record({ is: fc.constant('reproduce' as const), which }) },
  {
    weight: 1,
    arbitrary: fc.record({
      is: fc.constant('delete' as const),
      by,
      what: fc.constantFrom('requirements', 'tests', 'environments'),
      which,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      is: fc.constant('report' as const),
      title: fc.constantFrom('adds up', 'adds up', 'counts'),
      status: fc.constantFrom('passed', 'failed', 'flaky'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      is: fc.constant('wait' as const),
      ms: fc.constantFrom(1, 60_000, 50 * 60_000, dayMs, 9 * dayMs, 29 * dayMs),
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

/** Clocks that a verdict is asked with: of this process, and of one that goes wrong. */
const moved = [0, 20 * 60_000, -20 * 60_000, 0, dayMs, 30 * dayMs, -2 * hourMs]

test('a verdict is made of what a reader that remembers nothing reads, after any writes and at any time', async () => {
  const clock = { now: Date.UTC(2026, 10, 23, 12, 30) }
  await using app = await startApp({ platform: { now: () => clock.now } })
  const fresh = await openForReading(app.database)
  // Another process, which reads now and then.
  const other = await openDatabase(app.database)
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20, size: 'max' }), async (steps) => {
      const shop = await openShop(app)
      const made = await shop.test('adds up')
      const requirement = await shop.requirement()
      await shop.link(made, requirement)
      for (const [index, one] of steps.entries()) {
        if (one.is === 'wait') clock.now += one.ms
        else await perform({ app, shop, made, requirement, now: clock.now }, one)
        const scopes = await scopesOf(app, shop)
        // The service knows which tables its own commits change.
        expect(await computedDigest(app, shop)).toBe(await freshDigest(fresh, { scopes, now: clock.now }))
        for (const ms of moved) {
          const at = { scopes, now: clock.now + ms }
          const expected = await seen(fresh, at)
          for (const rows of index % 4 === 3 ? [app.db.read, other.read] : [app.db.read])
            expect(await seen(rows, at)).toEqual(expected)
          const listed = await readExclusions(app.db.read, idOf(shop), at)
          expect(listed.map(({ id }) => id).toSorted()).toEqual(await inEffect(app, idOf(shop), at.now))
        }
      }
    }),
    { numRuns: tries(6) },
  )
  await fresh.destroy()
  await other.close()
})

test('what is remembered of exclusions and fixes holds for a clock that goes back and forth', async () => {
  const clock = { now: Date.UTC(2026, 10, 23, 12, 30) }
  await using app = await startApp({ platform: { now: () => clock.now } })
  const shop = await openShop(app)
  const made = await shop.test('adds up')
  const deploy = (version: string, released_at: string) =>
    shop.must('POST', `${shop.path}/releases`, { version, environment: 'production', released_at })
  await deploy('1.0.0', '2026-11-20T00:00:00Z')
  await shop.event('server', { message: 'broken', release: '1.0.0', environment: 'production' })
  await deploy('1.1.0', '2026-11-24T08:00:00Z')
  const { issues } = await shop.must<{ issues: Identified[] }>('GET', `${shop.path}/issues`)
  const fix = { status: 'resolved', fixed_in: { release: '1.1.0' } }
  await shop.must('POST', `/v1/issues/${issues[0]?.id ?? ''}:setStatus`, fix)
  await shop.must('PUT', `/v1/tests/${made.id}`, quarantine('slow', { now: clock.now, days: 1 }))
  const scopes = await scopesOf(app, shop)
  const told = async (now: string) => {
    const [whole] = await seen(app.db.read, { scopes, now: Date.parse(now) })
    return [whole?.facts.exclusions.map(({ kind }) => kind), whole?.facts.issues.some(({ isFixed }) => isFixed)]
  }
  expect(await told('2026-11-23T12:30:00Z')).toEqual([['quarantined', 'issue_resolved'], false])
  expect(await told('2026-11-24T08:00:00Z')).toEqual([['quarantined', 'issue_resolved'], true])
  expect(await told('2026-11-24T12:29:59Z')).toEqual([['quarantined', 'issue_resolved'], true])
  expect(await told('2026-11-24T12:30:00Z')).toEqual([['issue_resolved'], true])
  expect(await told('2026-12-23T12:30:00Z')).toEqual([[], false])
  expect(await told('2026-11-24T07:59:00Z')).toEqual([['quarantined', 'issue_resolved'], false])
  expect(await told('2026-11-24T12:29:59Z')).toEqual([['quarantined', 'issue_resolved'], true])
})

test('what is remembered of tests holds for a clock that goes back and forth', async () => {
  const clock = { now: Date.UTC(2026, 10, 23, 12, 30) }
  await using app = await startApp({ platform: { now: () => clock.now } })
  const fresh = await openForReading(app.database)
  const shop = await openShop(app)
  await shop.event('server', { message: 'broken', release: '1.0.0', environment: 'production' })
  const held = await shop.test('is slow')
  await shop.must('PUT', `/v1/tests/${held.id}`, quarantine('slow', { now: clock.now, days: 2 }))
  await shop.report({ 'adds up': 'passed', 'is slow': 'passed', 'comes and goes': 'flaky' })
  const reported = clock.now
  clock.now += 3 * hourMs
  await shop.report({ 'comes and goes': 'passed' }, { run_key: 'later' })
  const changes = [dayMs, 2 * dayMs, 30 * dayMs, dayMs + 3 * hourMs, 30 * dayMs + 3 * hourMs]
  const times = changes.flatMap((ms) => [-1, 0, 1].map((more) => reported + ms + more))
  const scopes = await scopesOf(app, shop)
  const told = new Set<string>()
  for (const now of [clock.now, ...times, ...times.toReversed(), clock.now]) {
    const expected = await seen(fresh, { scopes, now })
    expect(await seen(app.db.read, { scopes, now })).toEqual(expected)
    told.add(JSON.stringify(expected.map(({ facts }) => facts.tests)))
  }
  // Before the first of them, and after each.
  expect(told.size).toBe(changes.length + 1)
  await fresh.destroy()
})

test('each kind of write that changes what is remembered shows in the next read', async () => {
  await using app = await startApp()
  const shop = await openShop(app)
  const fresh = await openForReading(app.database)
  const other = await openDatabase(app.database)
  const { id: requirement_id } = await shop.requirement()
  await shop.report({ 'adds up [REQ-1]': 'passed' })
  await shop.event('public', { message: 'broken', environment: 'production' })
  const { tests } = await shop.must<{ tests: Identified[] }>('GET', `${shop.path}/tests`)
  const { issues } = await shop.must<{ issues: Identified[] }>('GET', `${shop.path}/issues`)
  const [issue, made] = [`/v1/issues/${issues[0]?.id ?? ''}`, `/v1/tests/${tests[0]?.id ?? ''}`]
  const confirm = { requirement_id, confirm: true, reason: 'it still does' }
  const ignore = { status: 'ignored', ignore_until: { count: 1 } }
  const named = { message: 'broken', environment: 'production', level: 'fatal' }
  const reword = (title: string) => shop.must('PUT', `/v1/requirements/${requirement_id}`, { title })
  const writes: Record<string, () => Promise<unknown>> = {
    nothing: async () => {},
    'a person vouches for an issue': () => shop.must('PUT', made, { issue_id: issues[0]?.id }),
    'an agent resolves it': () => shop.must('POST', `${issue}:setStatus`, { status: 'resolved' }, asTool),
    'a person does so again': () => shop.must('POST', `${issue}:setStatus`, { status: 'resolved' }),
    'a person opens it': () => shop.must('POST', `${issue}:setStatus`, { status: 'unresolved' }),
    'an agent ignores it until its next event': () => shop.must('POST', `${issue}:setStatus`, ignore, asTool),
    'it has an event': () => shop.event('server', named),
    'it has another one': () => shop.event('server', named),
    'a requirement changes': () => reword('The sum is right'),
    'an agent confirms its link': () => shop.must('POST', `${made}/links`, confirm, asTool),
    'it changes again': () => reword('Each sum is right'),
    'an agent removes its link': () => shop.must('DELETE', `${made}/links/${requirement_id}`, undefined, asTool),
    'a report makes it again': () => shop.report({ 'adds up [REQ-1]': 'passed' }),
    'an agent deprecates it': () =>
      shop.must('PUT', `/v1/requirements/${requirement_id}`, { status: 'DEPRECATED' }, asTool),
    'it has another title': () => reword('Sums are right'),
    'a person has seen that': async () => {
      const [one] = await readExclusions(app.db.read, idOf(shop), { now: Date.now() })
      await shop.must('POST', `${shop.path}/quality-gate:review-exclusions`, { exclusion_ids: [one?.id] })
    },
  }
  const scopes = await scopesOf(app, shop)
  let before: unknown
  for (const [name, write] of Object.entries(writes)) {
    await write()
    const at = { scopes, now: Date.now() }
    const expected = await seen(fresh, at)
    expect({ name, seen: await seen(app.db.read, at) }).toEqual({ name, seen: expected })
    expect({ name, seen: await seen(other.read, at) }).toEqual({ name, seen: expected })
    expect([name, await computedDigest(app, shop)]).toEqual([name, await freshDigest(fresh, at)])
    expect([name, isDeepStrictEqual(expected, before)]).toEqual([name, false])
    before = expected
  }
  await fresh.destroy()
  await other.close()
})

interface Stage {
  app: App
  shop: Shop
  made: Identified
  requirement: Identified
  now: number
}

async function perform(
  { app, shop, made, requirement, now }: Stage,
  one: Exclude<Step, { is: 'wait' }>,
): Promise<unknown> {
  const headers = 'by' in one && one.by === 'agent' ? asTool : {}
  switch (one.is) {
    case 'event': {
      const { fingerprint, message, agoMs, key, release, environment, level } = one
      const timestamp = new Date(now - agoMs).toISOString()
      return shop.event(key, {
        fingerprint: [fingerprint],
        message,
        timestamp,
        release,
        environment,
        level,
      })
    }
    case 'status': {
      const { issues } = await shop.must<{ issues: Identified[] }>('GET', `${shop.path}/issues`)
      const issue = issues[one.which % Math.max(1, issues.length)]
      return issue && shop.send('POST', `/v1/issues/${issue.id}:setStatus`, one.change, headers)
    }
    case 'release': {
      const released_at = new Date(now + (one.inMs - 10) * hourMs).toISOString()
      return shop.send('POST', `${shop.path}/releases`, {
        version: one.version,
        environment: 'production',
        released_at,
      })
    }
    case 'hold':
      return shop.send('PUT', `/v1/tests/${made.id}`, quarantine('slow', { now, days: one.days }), headers)
    case 'review': {
      const listed = await readExclusions(app.db.read, idOf(shop), { now })
      const exclusion = listed[one.which % Math.max(1, listed.length)]
      const body = { exclusion_ids: [exclusion?.id] }
      return exclusion && shop.must('POST', `${shop.path}/quality-gate:review-exclusions`, body)
    }
    case 'edit': {
      const { edit } = one
      const links = `/v1/tests/${made.id}/links`
      const { id: requirement_id } = requirement
      if (edit.on === 'unlink') return shop.send('DELETE', `${links}/${requirement_id}`, undefined, headers)
      if (edit.on === 'link') return shop.send('POST', links, { requirement_id, ...edit.to }, headers)
      const path = edit.on === 'test' ? `/v1/tests/${made.id}` : `/v1/requirements/${requirement_id}`
      return shop.send('PUT', path, edit.to, headers)
    }
    case 'reproduce': {
      const { issues } = await shop.must<{ issues: Identified[] }>('GET', `${shop.path}/issues`)
      const issue_id = issues[one.which % Math.max(1, issues.length)]?.id
      return issue_id && shop.send('PUT', `/v1/tests/${made.id}`, { issue_id })
    }
    case 'delete': {
      const all = await shop.must<Record<string, Identified[]>>('GET', `${shop.path}/${one.what}`)
      const id = all[one.what]?.[one.which % Math.max(1, all[one.what]?.length ?? 0)]?.id
      return id && shop.send('DELETE', `/v1/${one.what}/${id}`, undefined, headers)
    }
    case 'report':
      return shop.report({ [one.title]: one.status })
  }
}

/** The ids of the exclusions that the rows themselves say are in effect. */
async function inEffect({ db }: App, productId: number, now: number): Promise<string[]> {
  const all = await db.read.selectFrom('exclusion').selectAll().where('product_id', '=', productId).execute()
  const deleted = new Set<string>()
  for (const table of ['requirement', 'test', 'environment'] as const)
    for (const { id } of await db.read.selectFrom(table).select('id').where('deleted_at', 'is not', null).execute())
      deleted.add(id)
  return all
    .filter(({ ended_at: ended, reviewed_at: seenAt, kind, item_id: item }) => {
      const isGone = !kind.endsWith('_deleted') && item.split('/').some((id) => deleted.has(id))
      return !isGone && (ended === null || ended > now) && (seenAt === null || seenAt > now - 30 * dayMs)
    })
    .map(({ id }) => id)
    .toSorted()
}

function idOf({ path }: Shop): number {
  return Number(path.split('/').at(-1))
}

async function scopesOf({ db }: App, shop: Shop): Promise<GateScope[]> {
  const ofProduct = { productId: idOf(shop), branchId: '', commitSha: '', gitBranch: '', carried: undefined }
  const whole = { ...ofProduct, releaseId: '', version: '', environmentId: '', counting: { gitBranches: ['main', ''] } }
  const releases = await db.read.selectFrom('release').selectAll().where('product_id', '=', idOf(shop)).execute()
  const [first] = releases
  if (first === undefined) return [whole]
  const { id, version, environment_id: environmentId } = first
  return [whole, { ...whole, environmentId }, { ...whole, releaseId: id, version }]
}

/** Of the inputs of a verdict that the service computes, for the whole product. */
async function computedDigest({ db }: App, shop: Shop): Promise<string> {
  const { verdict } = await shop.must<{ verdict: Identified }>('POST', `${shop.path}/quality-gate:compute`, {})
  const stored = await db.read
    .selectFrom('verdict')
    .select('inputs_digest')
    .where('id', '=', verdict.id)
    .executeTakeFirstOrThrow()
  return stored.inputs_digest
}

/** The same, made of what the rows tell. */
async function freshDigest(
  rows: Rows,
  { scopes, now }: { scopes: readonly GateScope[]; now: number },
): Promise<string> {
  const [scope] = scopes
  const product = await rows
    .selectFrom('product')
    .select('gate_policy')
    .where('id', '=', scope!.productId)
    .executeTakeFirstOrThrow()
  const { digest } = await readInputs(rows, { scope: scope!, policy: choosePolicy(product), now })
  return digest
}

/** All that verdicts of the scopes rest on, with the digest of it; in all but the first a result counts for a day. */
async function seen(rows: Rows, { scopes, now }: { scopes: readonly GateScope[]; now: number }) {
  const inputs = []
  for (const [index, scope] of scopes.entries()) {
    const product = await rows
      .selectFrom('product')
      .select('gate_policy')
      .where('id', '=', scope.productId)
      .executeTakeFirstOrThrow()
    const policy = choosePolicy(product, { result_max_age_hours: index === 0 ? 0 : 24 })
    const { facts, digest } = await readInputs(rows, { scope, policy, now })
    inputs.push({ facts, digest })
  }
  return inputs
}
