import { expect, test } from 'vitest'
import type { ResponseOf } from '../../../../../src/contract/index.ts'
import { startApp } from '../../../../app.ts'
import type { Database } from '../../../../../src/service/sql/database.ts'
import { createEventStore } from '../../../../../src/service/errors/issues/record/store.ts'
import { openRig } from '../rig.ts'

test('100 equal crashes through the ingest are one issue that was seen 100 times', async () => {
  await using app = await startApp()
  await Promise.all(Array.from({ length: 100 }, () => app.ingest({})))
  const { body } = await app.request<ResponseOf<'listIssues'>>('GET', `/v1/products/${app.productId}/issues`)
  expect(body.issues).toHaveLength(1)
  expect(body.issues[0]).toMatchObject({ short_id: 'APP-1', times_seen: 100, title: 'TypeError: cart is undefined' })
})

test('a repeated event id changes nothing and answers with the id of the first, also at the same moment', async () => {
  await using rig = await openRig()
  const id = 'a'.repeat(32)
  const together = await Promise.all([
    rig.append({ id, kind: 'first' }),
    rig.append({ id, kind: 'second' }),
    rig.append({ id, kind: 'third' }),
  ])
  const later = await rig.append({ id, kind: 'fourth' })
  expect([...together, later].map(({ duplicate }) => duplicate)).toEqual([false, true, true, true])
  expect(new Set([...together, later].map((answer) => answer.id)).size).toBe(1)
  const issues = await rig.issues()
  expect(issues.map(({ title, times_seen }) => [title, times_seen])).toEqual([['Error: first failed', 1]])
  const rollups = await rig.db.read.selectFrom('occurrence_rollup').select('count').execute()
  expect(rollups.map(({ count }) => count)).toEqual([1, 1, 1])
})

test('the same event id in two products is two events', async () => {
  await using rig = await openRig()
  const other = await rig.newProduct('OTHER')
  const event = rig.crash({})
  expect((await rig.store.append(rig.productId, event)).duplicate).toBe(false)
  expect((await rig.store.append(other, event)).duplicate).toBe(false)
})

test('an event that cannot be stored is refused alone; its neighbours of the same transaction are stored', async () => {
  await using rig = await openRig()
  const outcomes = await Promise.allSettled([
    rig.append({ kind: 'a' }),
    rig.store.append(999, rig.crash({ kind: 'stranger' })),
    // Fails late, after its issue and its release were made: the id is taken by the first occurrence.
    rig.store.append(rig.productId, { ...rig.crash({ kind: 'broken', release: '9.9' }), size_bytes: Number.NaN }),
    rig.append({ kind: 'b' }),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
  expect(outcomes[1]).toMatchObject({ reason: { code: 'not_found' } })
  expect((await rig.issues()).map(({ short_id, title }) => [short_id, title])).toEqual([
    ['SHOP-1', 'Error: a failed'],
    ['SHOP-2', 'Error: b failed'],
  ])
  expect(await rig.db.read.selectFrom('release').select('id').execute()).toEqual([])
})

test('events are committed in the order in which they came, also across transactions', async () => {
  await using rig = await openRig()
  const finished: number[] = []
  const many = Array.from({ length: 600 }, (_, index) =>
    rig.append({ kind: `k${index % 7}` }).then(() => finished.push(index)),
  )
  await Promise.all(many)
  expect(finished).toEqual(many.map((_, index) => index))
})

test('events that bring code, which is compared with source maps, are stored in the order in which they came', async () => {
  await using rig = await openRig()
  const payload = (index: number) => {
    const frame = { function: 'pay', filename: 'src/pay.ts', lineno: 7, in_app: true }
    const frames = [index % 2 === 0 ? { ...frame, context_line: 'pay()' } : frame]
    return { exception: { values: [{ type: 'Error', value: 'broken', stacktrace: { frames } }] } }
  }
  const ids = Array.from({ length: 10 }, (_, index) => String(index).padStart(32, '0'))
  await Promise.all(ids.map((id, index) => rig.append({ id, payload: payload(index) })))
  const stored = await rig.db.read.selectFrom('occurrence').select('sdk_event_id').orderBy('seq').execute()
  expect(stored.map(({ sdk_event_id: id }) => id)).toEqual(ids)
})

test('an event is on disk when its promise resolves, while the database has other writes under way', async () => {
  await using rig = await openRig()
  let release = () => {}
  const slow = rig.db.write(() => new Promise<void>((resolve) => (release = resolve)))
  const waiting = [rig.append({ kind: 'a' }), rig.append({ kind: 'b' })]
  await new Promise(setImmediate)
  expect(await rig.issues()).toEqual([])
  release()
  await slow
  await Promise.all(waiting)
  expect(await rig.issues()).toHaveLength(2)
})

const drop = { reason: 'queue_overflow', category: 'error', quantity: 2 }

test('a hash that only a later event of an issue has leads there from then on', async () => {
  await using rig = await openRig()
  const own = { function: 'pay', filename: 'src/pay.ts', lineno: 7 }
  const library = { function: 'run', filename: 'node_modules/lib/run.js', lineno: 1, in_app: false }
  const append = (frames: readonly unknown[]) =>
    rig.append({ payload: { exception: { values: [{ type: 'Error', value: 'no', stacktrace: { frames } }] } } })
  await append([{ ...own, in_app: true }])
  await append([library, { ...own, in_app: true }])
  await append([library, { ...own, in_app: false }])
  expect((await rig.issues()).map(({ times_seen }) => times_seen)).toEqual([3])
})

test("an event with a server key takes its id from a stranger's event of the same transaction", async () => {
  await using rig = await openRig()
  const failures: unknown[] = []
  const db: Database = {
    read: rig.db.read,
    write: (work) => rig.db.write(work),
    writeInSlices: (work) => rig.db.writeInSlices(work),
    close: () => rig.db.close(),
    batch: (work) =>
      rig.db.batch(work).catch((error: unknown) => {
        failures.push(error)
        throw error
      }),
  }
  const store = createEventStore({ ...rig, db })
  const id = 'b'.repeat(32)
  const append = (vouched: boolean) => store.append(rig.productId, rig.crash({ id }), { vouched })
  await Promise.all([append(false), append(true)])
  const stored = await rig.db.read.selectFrom('occurrence').select(['sdk_event_id', 'vouched']).orderBy('seq').execute()
  expect(stored.map(({ sdk_event_id: sdkId, vouched }) => [sdkId === id, vouched])).toEqual([
    [false, 0],
    [true, 1],
  ])
  expect(failures).toEqual([])
})

test('what SDKs dropped is written in one transaction, at the latest when the service stops', async () => {
  await using rig = await openRig()
  let transactions = 0
  const { db } = rig
  const counting = {
    read: db.read,
    write: db.write.bind(db),
    batch: <T>(work: Parameters<typeof db.batch<T>>[0]) => {
      transactions += 1
      return db.batch(work)
    },
    writeInSlices: db.writeInSlices.bind(db),
    close: () => db.close(),
  }
  const store = createEventStore({ db: counting, platform: rig.platform, symbolicator: rig.symbolicator })
  for (let report = 0; report < 50; report += 1) store.recordDropped(rig.productId, [drop])
  await store.idle()
  expect(transactions).toBe(1)
  expect(await rig.db.read.selectFrom('dropped_by_sdk').select('quantity').execute()).toEqual([{ quantity: 100 }])
})

test('the newest event gives the issue its face, the oldest its first release, in whatever order they come', async () => {
  await using rig = await openRig()
  const say = (value: string) => ({
    exception: {
      values: [
        {
          type: 'Error',
          value,
          stacktrace: { frames: [{ function: 'pay', filename: 'src/pay.ts', lineno: 7, in_app: true }] },
        },
      ],
    },
  })
  await rig.append({ ago: 5000, release: '1.1', level: 'warning', payload: say('middle') })
  await rig.append({ ago: 1000, release: '1.2', level: 'fatal', payload: say('newest') })
  await rig.append({ ago: 9000, release: '1.0', level: 'info', payload: say('oldest') })
  const [issue, ...others] = await rig.issues()
  expect(others).toEqual([])
  expect(issue).toMatchObject({
    title: 'Error: newest',
    level: 'fatal',
    times_seen: 3,
    first_seen: '2026-11-21T11:59:51.000Z',
    last_seen: '2026-11-21T11:59:59.000Z',
    first_release: { version: '1.0', known: false },
    last_release: { version: '1.2', known: false },
  })
})

test('environments and releases that only events name are created once, with origin EVENT; a deleted one anew', async () => {
  await using rig = await openRig()
  await Promise.all(['prod-eu', 'PROD-EU', 'prod-eu'].map((environment) => rig.append({ environment, release: '1.0' })))
  const [first] = await rig.db.read.selectFrom('environment').selectAll().execute()
  expect(first).toMatchObject({ name: 'prod-eu', origin: 'ORIGIN_EVENT', kind: 'ENVIRONMENT_KIND_PRODUCTION' })
  expect(await rig.db.read.selectFrom('release').select(['version', 'event_count']).execute()).toEqual([
    expect.objectContaining({ version: '1.0', event_count: 3 }),
  ])
  await rig.db.write((rows) => rows.updateTable('environment').set({ deleted_at: rig.clock.now }).execute())
  await rig.append({ environment: 'prod-eu' })
  const [issue] = await rig.issues()
  const { events } = await rig.handlers.listIssueEvents({ id: issue!.id }, rig.call)
  expect(new Set(events.map(({ environment }) => environment.toLowerCase()))).toEqual(new Set(['prod-eu']))
  expect(new Set(events.map(({ environment_id }) => environment_id)).size).toBe(2)
  const gone = await rig.handlers.listIssueEvents({ id: issue!.id, environment_id: first!.id }, rig.call)
  expect(gone.events).toEqual([])
})

test('a product that does not let events create environments keeps their names without ids', async () => {
  await using rig = await openRig()
  await rig.settings({ auto_create_environments: false })
  await rig.append({ environment: 'nightly', release: '1.0' })
  expect(await rig.db.read.selectFrom('environment').select('id').execute()).toEqual([])
  const [issue] = await rig.issues()
  const { events } = await rig.handlers.listIssueEvents({ id: issue!.id }, rig.call)
  expect(events).toMatchObject([
    { environment: 'nightly', environment_id: '', environment_known: false, release: '1.0', release_id: '' },
  ])
})

test('users are counted once per issue, wherever they met it', async () => {
  await using rig = await openRig()
  await rig.append({ user: 'ada', environment: 'production' })
  await rig.append({ user: 'ada', environment: 'staging' })
  await rig.append({ user: 'bob' })
  await rig.append({})
  expect((await rig.issues())[0]).toMatchObject({ users_affected: 2, times_seen: 4 })
})

test('what an SDK says it dropped is added up', async () => {
  await using rig = await openRig()
  const drop = { reason: 'ratelimit_backoff', category: 'error', quantity: 2 }
  rig.store.recordDropped(rig.productId, [drop, { ...drop, category: 'session' }])
  rig.store.recordDropped(rig.productId, [drop])
  await rig.store.idle()
  const rows = await rig.db.read
    .selectFrom('dropped_by_sdk')
    .select(['category', 'quantity'])
    .orderBy('category')
    .execute()
  expect(rows.map(({ category, quantity }) => [category, quantity])).toEqual([
    ['error', 4],
    ['session', 2],
  ])
})

test('an issue belongs to the component of its first event; new components attribute unresolved issues anew', async () => {
  await using app = await startApp()
  await app.ingest({})
  const list = async () =>
    (await app.request<ResponseOf<'listIssues'>>('GET', `/v1/products/${app.productId}/issues`)).body.issues
  expect((await list())[0]!.component).toBeNull()
  const component = { name: 'Cart', path_globs: ['src/cart/**'] }
  const created = await app.request<ResponseOf<'createComponent'>>(
    'POST',
    `/v1/products/${app.productId}/components`,
    component,
  )
  expect(created.status).toBe(200)
  await expect
    .poll(async () => (await list())[0]!.component)
    .toEqual({
      id: created.body.component.id,
      key: 'cart',
      title: 'Cart',
    })
  await app.ingest({
    exception: {
      values: [
        {
          type: 'Other',
          value: 'x',
          stacktrace: { frames: [{ function: 'add', filename: 'src/cart/add.ts', lineno: 1, in_app: true }] },
        },
      ],
    },
  })
  expect((await list()).map(({ component: owner }) => owner?.title)).toEqual(['Cart', 'Cart'])
})

test('corroboration states what speaks for the newest occurrence', async () => {
  await using rig = await openRig()
  const sdk = { payload: { sdk: { name: 'sentry.javascript.node', version: '11.0.0' } } }
  await rig.append({ user: 'ada', release: '1.0', ...sdk })
  await rig.append({ user: 'bob', release: '1.0', ...sdk })
  const facts = { frames_total: 1, frames_symbolicated: 0, files_matched: 0, users: 2, times_seen: 2, sdk_known: true }
  expect((await rig.issues())[0]!.corroboration).toMatchObject({ ...facts, release_known: false, score: 1 })
  await rig.db.write((rows) => rows.updateTable('release').set({ origin: 'ORIGIN_RELEASE' }).execute())
  expect((await rig.issues())[0]!.corroboration).toMatchObject({ ...facts, release_known: true, score: 2 })
})
