import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { normalise } from '../../../../src/service/errors/ingest/normalise/index.ts'
import { readGateIssues } from '../../../../src/service/errors/issues/read/gate-issues.ts'
import { createEventStore, type IssueStore } from '../../../../src/service/errors/issues/record/store.ts'
import { releaseHandlers } from '../../../../src/service/handlers/releases.ts'
import { dayMs, minuteMs, openRig, type Rig } from './rig.ts'
import { tries } from '../../../property-tries.ts'

/** New issues of a product in an hour: few, so that strangers try to use them up. */
const NEW_ISSUES = 4
const versions = ['shop@1.0.0', 'shop@1.1.0', 'shop@2.0.0', 'nightly', '9.9.9'] as const
const mapped = 'shop@1.1.0'

const hex = fc.integer({ min: 0, max: 11 }).map((id) => id.toString(16).padStart(32, '0'))
const event = fc.record({
  id: hex,
  function: fc.constantFrom('pay', 'ship', 'refund'),
  /** A second frame outside the team's code, and whether the first one is in it: they have hashes in common. */
  inLibrary: fc.boolean(),
  inApp: fc.boolean(),
  fingerprint: fc.constantFrom(undefined, undefined, undefined, ['one'], ['{{ default }}', 'two']),
  environment: fc.constantFrom('production', 'production', 'staging', 'nowhere'),
  release: fc.constantFrom('', ...versions),
  level: fc.constantFrom('fatal', 'error', 'error', 'info'),
  ago: fc.constantFrom(0, minuteMs, 3 * dayMs, 30 * dayMs),
})
type Sent = typeof event extends fc.Arbitrary<infer Event> ? Event : never

const vouched = fc.record({ is: fc.constant('vouched' as const), event })
const status = fc.record({
  is: fc.constant('status' as const),
  id: hex,
  change: fc.constantFrom(
    { status: 'resolved' as const },
    { status: 'resolved' as const, fixed_in: 'next' as const },
    { status: 'resolved' as const, fixed_in: { release: 'shop@1.1.0' } },
    { status: 'ignored' as const },
    { status: 'ignored' as const, ignore_until: { count: 2 } },
    { status: 'ignored' as const, ignore_until: { release: 'next' as const } },
  ),
})
const release = fc.record({
  is: fc.constant('release' as const),
  version: fc.constantFrom(...versions.slice(0, 4)),
  environment: fc.constantFrom('production', 'staging'),
})
const wait = fc.record({ is: fc.constant('wait' as const), ms: fc.constantFrom(minuteMs, dayMs, 4 * dayMs) })
const stranger = fc.record({ is: fc.constant('stranger' as const), event })
const step = fc.oneof(
  { weight: 4, arbitrary: vouched },
  { weight: 2, arbitrary: status },
  { weight: 1, arbitrary: release },
  { weight: 1, arbitrary: wait },
  { weight: 6, arbitrary: stranger },
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

const sent = {
  function: 'ship',
  inLibrary: false,
  inApp: false,
  fingerprint: undefined,
  level: 'fatal',
  ago: 0,
} as const
const [one, other, last] = ['1', '2', '3'].map((id) => id.padStart(32, '0')) as [string, string, string]
/** A stranger is the first to name the release of a fix in an environment. */
const strangersRelease: Step[] = [
  { is: 'vouched', event: { ...sent, id: one, environment: 'production', release: '' } },
  { is: 'stranger', event: { ...sent, id: other, environment: 'production', release: mapped, function: 'pay' } },
  { is: 'release', version: 'nightly', environment: 'production' },
  { is: 'vouched', event: { ...sent, id: last, environment: 'nowhere', release: mapped, ago: 30 * dayMs } },
  { is: 'status', id: last, change: { status: 'resolved', fixed_in: { release: mapped } } },
]

test('no sequence of events with a public key changes what a gate reads of vouched issues', async () => {
  await using rig = await openRig()
  const store = createEventStore({ ...rig, newIssuesPerHour: NEW_ISSUES })
  let runs = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 30, size: 'max' }), async (steps) => {
      const [quiet, noisy] = [await newShop(rig, `Q${(runs += 1)}`), await newShop(rig, `N${runs}`)]
      for (const one of steps) {
        // Otherwise ids decide the order of two releases without a version.
        rig.clock.now += 1
        if (one.is === 'wait') rig.clock.now += one.ms
        else {
          if (one.is !== 'stranger') await perform(rig, store, quiet, one)
          await perform(rig, store, noisy, one)
        }
      }
      expect(await facts(rig, noisy)).toEqual(await facts(rig, quiet))
    }),
    { numRuns: tries(40), examples: [[strangersRelease]] },
  )
})

/** A product for which a source map of one release was uploaded, which makes that release known where it appears. */
async function newShop(rig: Rig, prefix: string): Promise<number> {
  const productId = await rig.newProduct(prefix)
  const id = rig.platform.newId()
  await rig.db.write(async (rows) => {
    const facts = { file_name: 'a.zip', url_prefix: '', content_type: '', created_by: '{}', created_at: 0 }
    const upload = { id, product_id: productId, state: 'SOURCEMAP_STATE_READY', artifact: 'bundle', release: mapped }
    const times = { error: null, confirmed_at: 0, expires_at: null }
    await rows
      .insertInto('sourcemap')
      .values({ ...upload, ...facts, ...times })
      .execute()
    const artifact = { kind: 'minified', content: '', path: '~/a.js', base_name: 'a.js', release: mapped }
    await rows
      .insertInto('sourcemap_artifact')
      .values({ ...artifact, product_id: productId, sourcemap_id: id })
      .execute()
  })
  return productId
}

async function perform(rig: Rig, store: IssueStore, productId: number, one: Exclude<Step, { is: 'wait' }>) {
  if (one.is === 'release') {
    const { version, environment } = one
    await releaseHandlers.upsertRelease({ product_id: String(productId), version, environment }, rig.call)
  } else if (one.is === 'status') await changeStatus(rig, productId, one)
  else await store.append(productId, normal(rig, one.event), { vouched: one.is === 'vouched' })
}

/** Of the issue with the vouched event; a release that nobody recorded is refused, in both products alike. */
async function changeStatus(rig: Rig, productId: number, { id: event, change }: Extract<Step, { is: 'status' }>) {
  const found = await rig.db.read
    .selectFrom('occurrence')
    .select('issue_id as id')
    .where('product_id', '=', productId)
    .where('sdk_event_id', '=', event)
    .where('vouched', '=', 1)
    .executeTakeFirst()
  const known = await rig.db.read
    .selectFrom('release')
    .select('id')
    .where('product_id', '=', productId)
    .where('version', '=', 'shop@1.1.0')
    .where('vouched_at', 'is not', null)
    .where('origin', '=', 'ORIGIN_MANUAL')
    .executeTakeFirst()
  if (found === undefined) return
  if (typeof change.fixed_in === 'object' && known === undefined) return
  await rig.handlers.setIssueStatus({ ...found, ...change }, rig.call)
}

function normal(rig: Rig, { id, ago, inLibrary, inApp, function: name, ...rest }: Sent) {
  const own = { function: name, filename: `src/${name}.ts`, lineno: 7, in_app: inApp }
  const library = { function: 'run', filename: 'node_modules/lib/run.js', lineno: 1, in_app: false }
  const frames = inLibrary ? [own, library] : [own]
  const exception = { values: [{ type: 'Error', value: `${name} failed`, stacktrace: { frames } }] }
  const json = { ...rest, timestamp: (rig.clock.now - ago) / 1000, platform: 'node', exception }
  return normalise(json, { eventId: id, receivedAt: rig.clock.now, sizeBytes: 1000 })
}

/** What the gate reads of the issues with vouched events, each named by its first one, in several scopes. */
async function facts(rig: Rig, productId: number) {
  const vouchedEvents = await rig.db.read
    .selectFrom('occurrence')
    .select(['issue_id', 'sdk_event_id'])
    .where('product_id', '=', productId)
    .where('vouched', '=', 1)
    .orderBy('seq', 'desc')
    .execute()
  const names = new Map(vouchedEvents.map((row) => [row.issue_id, row.sdk_event_id]))
  const scopes = await rig.db.read
    .selectFrom('release')
    .innerJoin('environment', 'environment.id', 'release.environment_id')
    .select(['release.id', 'release.version', 'environment.name', 'environment_id'])
    .where('release.product_id', '=', productId)
    .where('vouched_at', 'is not', null)
    .orderBy('environment.name')
    .orderBy('release.version')
    .execute()
  const read = async (scope: { releaseId: string; environmentId: string }) => {
    const all = { ...scope, productId, now: rig.clock.now, alsoIds: [...names.keys()] }
    const issues = await readGateIssues(rig.db.read, all)
    const own = issues.filter(({ vouchedBy }) => vouchedBy === 'server_key')
    return own
      .map(({ id, title, level, status: now, isNew, isRegressed, isFixed, stillFiring }) =>
        JSON.stringify({ first: names.get(id), title, level, now, isNew, isRegressed, isFixed, stillFiring }),
      )
      .toSorted()
  }
  const byScope: Record<string, string[]> = { everything: await read({ releaseId: '', environmentId: '' }) }
  for (const { id, version, name, environment_id: environmentId } of scopes) {
    byScope[`${version} in ${name}`] = await read({ releaseId: id, environmentId: '' })
    byScope[name] = await read({ releaseId: '', environmentId })
  }
  return byScope
}
