import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readExclusions } from '../../../src/service/gate/exclusions.ts'
import type { GateScope } from '../../../src/service/gate/scope.ts'
import { choosePolicy, readInputs } from '../../../src/service/gate/verdict/compute.ts'
import { dayMs, hourMs } from '../../../src/service/shared/times.ts'
import type { Rows } from '../../../src/service/sql/database.ts'
import { openForReading } from '../../../src/service/sql/open.ts'
import { startApp, type App } from '../../app.ts'
import { quarantine } from '../quarantine.ts'
import { openShop, type Identified, type Shop } from './shop.ts'

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
    weight: 1,
    arbitrary: fc.record({ is: fc.constant('report' as const), status: fc.constantFrom('passed', 'failed') }),
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
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20, size: 'max' }), async (steps) => {
      const shop = await openShop(app)
      const made = await shop.test('adds up')
      await shop.link(made, await shop.requirement())
      for (const one of steps) {
        if (one.is === 'wait') clock.now += one.ms
        else await perform({ app, shop, made, now: clock.now }, one)
        const scopes = await scopesOf(app, shop)
        for (const ms of moved) {
          const at = { scopes, now: clock.now + ms }
          expect(await seen(app.db.read, at)).toEqual(await seen(fresh, at))
          const listed = await readExclusions(app.db.read, idOf(shop), at)
          expect(listed.map(({ id }) => id).toSorted()).toEqual(await inEffect(app, idOf(shop), at.now))
        }
      }
    }),
    { numRuns: 6 },
  )
  await fresh.destroy()
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

interface Stage {
  app: App
  shop: Shop
  made: Identified
  now: number
}

async function perform({ app, shop, made, now }: Stage, one: Exclude<Step, { is: 'wait' }>): Promise<unknown> {
  const headers = 'by' in one && one.by === 'agent' ? asTool : {}
  switch (one.is) {
    case 'event': {
      const { fingerprint, agoMs, key, release, environment, level } = one
      const timestamp = new Date(now - agoMs).toISOString()
      return shop.event(key, {
        fingerprint: [fingerprint],
        message: fingerprint,
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
    case 'report':
      return shop.report({ 'adds up': one.status })
  }
}

/** The ids of the exclusions that the rows themselves say are in effect; no item here is deleted. */
async function inEffect({ db }: App, productId: number, now: number): Promise<string[]> {
  const all = await db.read.selectFrom('exclusion').selectAll().where('product_id', '=', productId).execute()
  return all
    .filter(({ ended_at: ended, reviewed_at: seenAt }) => {
      return (ended === null || ended > now) && (seenAt === null || seenAt > now - 30 * dayMs)
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

/** All that verdicts of the scopes rest on, with the digest of it. */
async function seen(rows: Rows, { scopes, now }: { scopes: readonly GateScope[]; now: number }) {
  const inputs = []
  for (const scope of scopes) {
    const product = await rows
      .selectFrom('product')
      .select('gate_policy')
      .where('id', '=', scope.productId)
      .executeTakeFirstOrThrow()
    const { facts, digest } = await readInputs(rows, { scope, policy: choosePolicy(product), now })
    inputs.push({ facts, digest })
  }
  return inputs
}
