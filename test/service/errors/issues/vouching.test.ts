import { expect, test } from 'vitest'
import { readGateIssues } from '../../../../src/service/errors/issues/read/gate-issues.ts'
import { runRetention } from '../../../../src/service/errors/issues/retention.ts'
import { testHandlers } from '../../../../src/service/handlers/quality/tests.ts'
import { dayMs, hourMs, openRig, type Rig } from './rig.ts'

/** What a gate reads of the issues that matter in a scope, by key. */
async function judge(rig: Rig, { release = '', environment = '' } = {}) {
  const scope = { productId: rig.productId, releaseId: release, environmentId: environment, now: rig.clock.now }
  const issues = await readGateIssues(rig.db.read, scope)
  return Object.fromEntries(issues.map((issue) => [issue.key, issue]))
}

async function setStatus(
  rig: Rig,
  number: number,
  change: Omit<Parameters<Rig['handlers']['setIssueStatus']>[0], 'id'>,
) {
  const issue = (await rig.issues()).find(({ short_id }) => short_id === `SHOP-${number}`)!
  rig.clock.now += 1000
  const changed = await rig.handlers.setIssueStatus({ id: issue.id, ...change }, rig.call)
  rig.clock.now += 1000
  return changed.issue
}

const fact = {
  isNew: false,
  isNewUnvouched: false,
  isRegressed: false,
  isRegressedUnvouched: false,
  reopenedUnvouched: false,
}

test('an issue counts as new when an event with a server key or a member says so, and else is shown apart', async () => {
  await using rig = await openRig()
  await rig.append({ kind: 'page' })
  await rig.appendVouched({ kind: 'server' })
  await rig.appendVouched({ kind: 'notice', level: 'warning' })
  await rig.appendVouched({ kind: 'tests', environment: 'ci' })
  await rig.appendVouched({ kind: 'old', ago: 8 * dayMs })
  expect((await rig.issues()).map((issue) => issue.vouched_by)).toEqual(['', ...Array(4).fill('server_key')])
  expect(await judge(rig)).toMatchObject({
    'SHOP-1': { ...fact, vouchedBy: '', isNewUnvouched: true },
    'SHOP-2': { ...fact, vouchedBy: 'server_key', isNew: true, status: 'unresolved', level: 'error' },
    'SHOP-3': { isNew: false },
  })
  expect(Object.keys(await judge(rig))).not.toContain('SHOP-4')
  expect(Object.keys(await judge(rig))).not.toContain('SHOP-5')

  expect(await setStatus(rig, 1, { status: 'resolved' })).toMatchObject({ vouched_by: '' })
  await rig.append({ kind: 'page' })
  expect((await judge(rig))['SHOP-1']).toMatchObject({ vouchedBy: '', isNew: false, reopenedUnvouched: true })
  expect(await setStatus(rig, 1, { status: 'unresolved' })).toMatchObject({ vouched_by: 'member' })
  for (const level of ['info', 'debug']) await rig.append({ kind: 'page', level, ago: 20 * dayMs, release: '0.1' })
  await rig.append({ kind: 'page', level: 'info' })
  const vouched = { ...fact, vouchedBy: 'member', isNew: true, isRegressed: true, level: 'error' }
  expect((await judge(rig))['SHOP-1']).toMatchObject(vouched)
})

test('a member who records a test that reproduces an issue vouches for it', async () => {
  await using rig = await openRig()
  await rig.append({ kind: 'created' })
  await rig.append({ kind: 'updated' })
  const [created, updated] = await rig.issues()
  const facts = { product_id: rig.product_id, title: 'Pays once', kind: 'TEST_KIND_CASE' as const }
  const { test: recorded } = await testHandlers.createTest({ ...facts, issue_id: created!.id }, rig.call)
  expect((await judge(rig))['SHOP-1']).toMatchObject({ vouchedBy: 'member', isNew: true })
  expect((await judge(rig))['SHOP-2']).toMatchObject({ vouchedBy: '', isNew: false })
  await testHandlers.updateTest({ id: recorded.id, issue_id: updated!.id, update_mask: 'issue_id' }, rig.call)
  expect((await judge(rig))['SHOP-2']).toMatchObject({ vouchedBy: 'member', isNew: true })
})

test('events with a public key reopen an issue for people, and one with a server key for the gate', async () => {
  await using rig = await openRig()
  const [first, second] = [await rig.release('1.0.0'), await rig.release('1.1.0')]
  await rig.appendVouched({ release: '1.0.0' })
  await setStatus(rig, 1, { status: 'resolved', fixed_in: { release: '1.1.0' } })
  await rig.append({ release: '1.1.0' })
  expect((await rig.issues())[0]).toMatchObject({ status: 'unresolved', is_regression: true, vouched_by: '' })
  expect((await judge(rig, { release: second }))['SHOP-1']).toMatchObject({
    ...fact,
    status: 'resolved',
    isRegressedUnvouched: true,
    reopenedUnvouched: true,
    isFixed: true,
  })

  await rig.appendVouched({ release: '1.1.0' })
  expect((await rig.issues())[0]).toMatchObject({ status: 'unresolved', vouched_by: 'server_key' })
  const regressed = { ...fact, status: 'unresolved', isRegressed: true, isFixed: false }
  expect((await judge(rig, { release: second }))['SHOP-1']).toMatchObject(regressed)
  // Without a release it is new for a week, too.
  expect((await judge(rig))['SHOP-1']).toMatchObject({ ...regressed, isNew: true })
  // A release before the one in which it came back is not the worse for it, and strangers did not bring it back alone.
  expect((await judge(rig, { release: first }))['SHOP-1']).toMatchObject({ ...fact, isNew: true })
  await setStatus(rig, 1, { status: 'resolved' })
  expect((await judge(rig))['SHOP-1']).toMatchObject({ status: 'resolved', isFixed: false })
  // Closing and opening it again does not make it one that never came back.
  await setStatus(rig, 1, { status: 'unresolved' })
  expect((await judge(rig, { release: second }))['SHOP-1']).toMatchObject(regressed)
})

test('a member who confirms that an issue came back vouches for the regression', async () => {
  await using rig = await openRig()
  const release = await rig.release('1.0.0')
  await rig.appendVouched({ ago: 30 * dayMs })
  await setStatus(rig, 1, { status: 'resolved' })
  await rig.append({ release: '1.0.0' })
  expect((await judge(rig, { release }))['SHOP-1']).toMatchObject({ status: 'resolved', isRegressed: false })
  await setStatus(rig, 1, { status: 'unresolved' })
  expect((await judge(rig, { release }))['SHOP-1']).toMatchObject({ status: 'unresolved', isRegressed: true })
})

test('a resolved issue is fixed in releases that have the fix while no vouched event might have it', async () => {
  await using rig = await openRig()
  const before = await rig.release('1.0.0')
  rig.clock.now += 1000
  await rig.appendVouched({ release: '1.0.0' })
  await setStatus(rig, 1, { status: 'resolved', fixed_in: 'next' })
  expect((await judge(rig, { release: before }))['SHOP-1']).toMatchObject({ status: 'resolved', isFixed: false })
  expect((await judge(rig))['SHOP-1']).toMatchObject({ isFixed: false })
  // The build without the fix is still in use when the next release arrives.
  await rig.appendVouched({ release: '1.0.0' })
  rig.clock.now += 1000
  const fixed = await rig.release('1.1.0')
  expect((await judge(rig))['SHOP-1']).toMatchObject({ isFixed: true })
  await rig.appendVouched({ release: '1.0.0' })
  await setStatus(rig, 1, { status: 'resolved', fixed_in: { release: '1.1.0' } })
  const scope = { release: fixed }
  const reading = async () => {
    const ids = (await rig.issues()).map(({ id }) => id)
    const all = { productId: rig.productId, releaseId: scope.release, environmentId: '', now: rig.clock.now }
    return (await readGateIssues(rig.db.read, { ...all, alsoIds: ids }))[0]
  }
  expect(await reading()).toMatchObject({ isFixed: true, stillFiring: false })
  rig.clock.now += 8 * dayMs
  await rig.append({ release: 'unknown' })
  expect(await reading()).toMatchObject({ isFixed: true, stillFiring: false })
  await rig.appendVouched({ release: 'unknown' })
  expect(await reading()).toMatchObject({ isFixed: false, stillFiring: true, status: 'resolved' })
  expect((await judge(rig))['SHOP-1']).toMatchObject({ stillFiring: true })
})

/** What a gate reads of the only issue. */
async function readOnly(rig: Rig, release = '') {
  const alsoIds = (await rig.issues()).map(({ id }) => id)
  const scope = { productId: rig.productId, releaseId: release, environmentId: '', now: rig.clock.now, alsoIds }
  return (await readGateIssues(rig.db.read, scope))[0]
}

test('a fix whose release has a date in the future counts from then on', async () => {
  await using rig = await openRig()
  await rig.release('1.0.0')
  await rig.appendVouched({ release: '1.0.0' })
  rig.clock.now += 1000
  const fixed = await rig.release('1.1.0')
  const released_at = rig.clock.now + dayMs
  await rig.db.write((rows) => rows.updateTable('release').set({ released_at }).where('id', '=', fixed).execute())
  await setStatus(rig, 1, { status: 'resolved', fixed_in: { release: '1.1.0' } })
  for (const release of [fixed, '']) expect(await readOnly(rig, release)).toMatchObject({ isFixed: false })
  rig.clock.now = released_at
  for (const release of [fixed, '']) expect(await readOnly(rig, release)).toMatchObject({ isFixed: true })
})

test('without a judged release an issue that goes on in an older one is not fixed', async () => {
  await using rig = await openRig()
  await rig.release('1.0.0')
  await rig.appendVouched({ release: '1.0.0' })
  rig.clock.now += 1000
  const fixed = await rig.release('1.1.0')
  await setStatus(rig, 1, { status: 'resolved', fixed_in: { release: '1.1.0' } })
  for (const release of [fixed, '']) expect(await readOnly(rig, release)).toMatchObject({ isFixed: true })
  await rig.appendVouched({ release: '1.0.0' })
  expect(await readOnly(rig, fixed)).toMatchObject({ isFixed: true })
  expect(await readOnly(rig)).toMatchObject({ isFixed: false })
})

test('an issue is not fixed where no release is known that could have the fix', async () => {
  await using rig = await openRig()
  await rig.appendVouched({ release: '1.0.0' })
  await setStatus(rig, 1, { status: 'resolved', fixed_in: { commit: 'abcdef1' } })
  expect(await readOnly(rig)).toMatchObject({ isFixed: false })
})

test('the scope of a release is the environment that it is in', async () => {
  await using rig = await openRig()
  const [staging, production] = [await rig.release('1.0.0', 'staging'), await rig.release('1.0.0', 'production')]
  const ci = await rig.release('1.0.0', 'ci')
  for (const environment of ['staging', 'ci']) await rig.appendVouched({ environment, release: '1.0.0' })
  expect((await judge(rig, { release: staging }))['SHOP-1']).toMatchObject({ isNew: true })
  for (const release of [production, ci]) expect(await judge(rig, { release })).toEqual({})
  const { environment_id: id } = await rig.db.read
    .selectFrom('release')
    .select('environment_id')
    .where('id', '=', staging)
    .executeTakeFirstOrThrow()
  expect((await judge(rig, { environment: id }))['SHOP-1']).toMatchObject({ isNew: true })
  expect((await judge(rig, { release: production, environment: id }))['SHOP-1']).toMatchObject({ isNew: true })
})

test('events with a public key displace none that came with a server key', async () => {
  await using rig = await openRig()
  await rig.settings({ max_events_per_issue: 5 })
  for (let count = 0; count < 3; count += 1) {
    await rig.append({ ago: 2 * dayMs })
    await rig.appendVouched({ ago: dayMs })
    for (let more = 0; more < 10; more += 1) await rig.append()
  }
  rig.clock.now += 2 * hourMs
  const count = async (vouched: number) =>
    (await rig.db.read.selectFrom('occurrence').select('id').where('vouched', '=', vouched).execute()).length
  await runRetention(rig.db, rig.clock.now)
  expect([await count(1), await count(0)]).toEqual([3, 2])
  for (let more = 0; more < 10; more += 1) await rig.appendVouched()
  rig.clock.now += 2 * hourMs
  await runRetention(rig.db, rig.clock.now)
  expect(await count(1)).toBe(5)
  expect(await runRetention(rig.db, rig.clock.now)).toMatchObject({ occurrences: 0 })
})

test('an event with a server key makes the names of its release and environment known, one with a public key does not', async () => {
  await using rig = await openRig()
  const names = { release: '2.0.0', environment: 'Edge' }
  const shown = async () => {
    const [{ first_release: release, environments } = {}] = await rig.issues()
    return { release: release?.known, environment: environments?.[0] }
  }
  await rig.append({ ...names, environment: 'eDGE' })
  expect(await shown()).toMatchObject({ release: false, environment: { name: 'eDGE', known: false } })
  await rig.appendVouched(names)
  expect(await shown()).toMatchObject({ release: true, environment: { name: 'Edge', known: true } })
  await rig.append({ ...names, environment: 'eDGE' })
  expect(await shown()).toMatchObject({ release: true, environment: { name: 'Edge', known: true } })
  await rig.appendVouched({ kind: 'first', release: '3.0.0', environment: 'fresh' })
  expect((await rig.issues())[1]).toMatchObject({ first_release: { known: true }, environments: [{ known: true }] })
})

test('a release that only events with a server key named is no fix, until a member records it', async () => {
  await using rig = await openRig()
  await rig.appendVouched({ release: '2.0.0' })
  const fixed = () => setStatus(rig, 1, { status: 'resolved', fixed_in: { release: '2.0.0' } })
  await expect(fixed()).rejects.toThrow(/recorded/)
  await rig.release('2.0.0')
  expect(await fixed()).toMatchObject({ status: 'resolved', fixed_in: { release: { version: '2.0.0' } } })
})
