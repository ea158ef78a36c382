import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startApp, type App } from '../../app.ts'
import { tries } from '../../property-tries.ts'
import { openShop, type Identified, type Shop } from './shop.ts'

const seconds = 24 * 60 * 60
const asTool = { 'x-svc-via': 'mcp' }

/** What anyone who has read the public key can send, about the issues that exist and about others. */
const event = fc.record({
  fingerprint: fc.constantFrom(['new'], ['old'], ['fixed'], ['resolved'], ['ignored'], ['page'], ['other']),
  release: fc.constantFrom('', '1.0.0', '1.1.0', '1.2.0', '9.9.9', '0.1.0'),
  environment: fc.constantFrom('production', 'Production', 'staging', 'prod-eu', 'ci'),
  level: fc.constantFrom('fatal', 'error', 'warning', 'info'),
  ago: fc.constantFrom(0, 0, -seconds, 20 * seconds),
  event_id: fc.constantFrom(undefined, 'a'.repeat(32), 'b'.repeat(32)),
  copies: fc.integer({ min: 1, max: 3 }),
})

/** One of them, so that a product that passes and one that fails are always among the tried. */
const usual: typeof event extends fc.Arbitrary<infer One> ? One : never = {
  fingerprint: ['new'],
  release: '1.0.0',
  environment: 'production',
  level: 'fatal',
  ago: 0,
  event_id: undefined,
  copies: 1,
}

interface Stage {
  shop: Shop
  scopes: object[]
}

/** A tested product with issues of all kinds; `fails`: one that a server reports is open and new. */
async function setStage(app: App, fails: boolean): Promise<Stage> {
  const shop = await openShop(app)
  await shop.link(await shop.test('adds up'), await shop.requirement())
  await shop.report({ 'adds up': 'passed' })
  const release = async (version: string) =>
    (
      await shop.must<{ release: Identified & { environment_id: string } }>('POST', `${shop.path}/releases`, {
        version,
        environment: 'production',
      })
    ).release
  const first = await release('1.0.0')
  const at = Date.now() / 1000 - 30 * seconds
  const common = { environment: 'production', release: '1.0.0' }
  for (const name of ['old', 'fixed', 'resolved', 'ignored'])
    await shop.event('server', { ...common, fingerprint: [name], message: name, timestamp: at })
  await shop.event('public', { ...common, fingerprint: ['page'], message: 'page' })
  const { issues } = await shop.must<{ issues: (Identified & { title: string })[] }>('GET', `${shop.path}/issues`)
  const second = await release('1.1.0')
  const changes = {
    fixed: { status: 'resolved', fixed_in: { release: '1.1.0' } },
    resolved: { status: 'resolved' },
    ignored: { status: 'ignored', ignore_until: { count: 2 } },
    page: { status: 'ignored', ignore_until: { count: 1 } },
  }
  for (const { id, title } of issues) {
    if (!Object.hasOwn(changes, title)) continue
    const change = changes[title as keyof typeof changes]
    // What a tool does has no review, except for the issue with a fix.
    const by = title === 'fixed' || (title === 'page' && fails) ? asTool : {}
    await shop.must('POST', `/v1/issues/${id}:setStatus`, change, by)
  }
  if (fails) await shop.event('server', { ...common, fingerprint: ['new'], message: 'new' })
  const scopes = [{}, { environment_id: first.environment_id }, { release_id: first.id }, { release_id: second.id }]
  return { shop, scopes }
}

test('no sequence of events of an unknown sender changes a verdict or makes it stale, in any scope', async () => {
  await using app = await startApp()
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.array(event, { minLength: 1, maxLength: 8, size: 'max' }),
      async (fails, events) => {
        const { shop, scopes } = await setStage(app, fails)
        const before = []
        for (const scope of scopes) before.push(await shop.compute(scope))
        for (const { status } of before) seen.add(status)
        for (const { ago, copies, ...one } of events) {
          const sent = { ...one, message: one.fingerprint[0], timestamp: Date.now() / 1000 - ago }
          for (let copy = 0; copy < copies; copy += 1) await shop.event('public', sent)
        }
        const after = []
        for (const scope of scopes) {
          const query = new URLSearchParams(Object.entries(scope) as [string, string][]).toString()
          const stored = await shop.must<{ verdict: { stale: boolean } }>('GET', `${shop.path}/quality-gate?${query}`)
          expect(stored.verdict.stale).toBe(false)
          after.push(await shop.compute(scope))
        }
        expect(after.map(({ id, status }) => [id, status])).toEqual(before.map(({ id, status }) => [id, status]))
      },
    ),
    {
      numRuns: tries(30),
      examples: [
        [false, [usual]],
        [true, [usual]],
      ],
    },
  )
  expect([...seen].toSorted()).toEqual(['VERDICT_STATUS_FAIL', 'VERDICT_STATUS_PASS'])
}, 120_000)
