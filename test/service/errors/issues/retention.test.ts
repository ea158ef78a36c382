import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { runRetention, evenSample } from '../../../../src/service/errors/issues/retention.ts'
import type { Database } from '../../../../src/service/sql/database.ts'
import { tries } from '../../../property-tries.ts'
import { dayMs, hourMs, openRig, type Rig } from './rig.ts'

const kept = async (rig: Rig) =>
  (await rig.db.read.selectFrom('occurrence').select(['timestamp']).orderBy('timestamp').execute()).map(
    (row) => row.timestamp,
  )

test('above the cap an even sample with the first and the last stays, and no counter changes', async () => {
  await using rig = await openRig()
  await rig.settings({ max_events_per_issue: 10 })
  const begin = rig.clock.now
  for (let count = 0; count < 101; count += 1) {
    rig.clock.now += 1000
    await rig.append({ user: `user${count % 9}`, release: '1.0' })
  }
  const before = await rig.issues()
  const stats = async () => (await rig.handlers.getIssueStats({ id: before[0]!.id, period: '1d' }, rig.call)).stats
  const total = async () => (await rig.handlers.listIssueEvents({ id: before[0]!.id }, rig.call)).pagination.total_size
  rig.clock.now += 2 * hourMs
  const statsBefore = await stats()
  expect(await total()).toBe(101)
  expect(await runRetention(rig.db, rig.clock.now)).toMatchObject({ occurrences: 91 })
  const times = await kept(rig)
  expect([times.length, await total()]).toEqual([10, 10])
  expect([times[0], times.at(-1)]).toEqual([begin + 1000, begin + 101_000])
  expect(Math.max(...times.slice(1).map((time, index) => time - times[index]!))).toBeLessThanOrEqual(12_000)
  expect(await rig.issues()).toEqual(before)
  const another = await rig.openAnother()
  const call = { ...rig.call, db: another }
  expect((await rig.handlers.getIssueStats({ id: before[0]!.id, period: '1d' }, call)).stats).toEqual(statsBefore)
  await another.close()
  expect(await stats()).toEqual(statsBefore)
  expect(before[0]).toMatchObject({ times_seen: 101, users_affected: 9 })
  expect(await runRetention(rig.db, rig.clock.now)).toEqual({ occurrences: 0, bodies: 0, rollups: 0 })
})

test('two processes that thin an issue out at once leave as many occurrences as one', async () => {
  await using rig = await openRig()
  await rig.settings({ max_events_per_issue: 10 })
  for (let count = 0; count < 60; count += 1) {
    rig.clock.now += 1000
    await rig.append()
  }
  const another = await rig.openAnother()
  let batches = 0
  const slower: Database = {
    ...rig.db,
    read: rig.db.read,
    async batch(work) {
      batches += 1
      // It has chosen what to remove, from fewer occurrences than the other process sees.
      if (batches === 2) {
        await rig.append()
        await runRetention(another, rig.clock.now + 2 * hourMs)
      }
      return rig.db.batch(work)
    },
  }
  await runRetention(slower, rig.clock.now + 2 * hourMs)
  await another.close()
  expect(await kept(rig)).toHaveLength(10)
})

test('the totals of an issue, a release and an environment are those of the occurrences that are there', async () => {
  const places = fc.record({
    environment: fc.constantFrom('production', 'staging', 'qa'),
    release: fc.constantFrom('1.0', '1.1', ''),
    kind: fc.constantFrom('loud', 'quiet'),
  })
  const steps = fc.array(
    fc.oneof({ weight: 12, arbitrary: places }, { weight: 1, arbitrary: fc.constant('thin' as const) }),
    { maxLength: 60 },
  )
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      await using rig = await openRig()
      await rig.settings({ max_events_per_issue: 4 })
      for (const step of [...list, 'thin' as const]) {
        if (step === 'thin') {
          rig.clock.now += 2 * hourMs
          await runRetention(rig.db, rig.clock.now)
        } else {
          rig.clock.now += 1000
          await rig.append(step)
        }
      }
      for (const { id } of await rig.issues()) {
        const every = await listed(rig, { id })
        expect(every.total).toBe(every.events.length)
        for (const { environment_id, release_id } of every.events) {
          const filters = [
            { environment_id },
            ...(release_id === '' ? [] : [{ release_id }, { release_id, environment_id }]),
          ]
          for (const filter of filters) {
            const some = await listed(rig, { id, ...filter })
            expect(some.total).toBe(some.events.length)
          }
        }
      }
    }),
    { numRuns: tries(15) },
  )
})

async function listed(rig: Rig, filter: { id: string; environment_id?: string; release_id?: string }) {
  const { events, pagination } = await rig.handlers.listIssueEvents({ ...filter, page_size: 200 }, rig.call)
  return { events, total: pagination.total_size }
}

test('what came within the last hour stays beyond the cap, so that a walk through the pages stays exact', async () => {
  await using rig = await openRig()
  await rig.settings({ max_events_per_issue: 3 })
  for (let count = 0; count < 20; count += 1) await rig.append({})
  expect(await runRetention(rig.db, rig.clock.now)).toMatchObject({ occurrences: 0 })
  expect(await kept(rig)).toHaveLength(20)
})

test('by age all but the first and the newest occurrence of each issue go, and its stats stay', async () => {
  await using rig = await openRig()
  await rig.settings({ retention_days: 7 })
  for (let count = 0; count < 5; count += 1) {
    rig.clock.now += dayMs
    await rig.append({ kind: 'quiet' })
  }
  rig.clock.now += 9 * dayMs
  await rig.append({ kind: 'loud' })
  await rig.append({ kind: 'loud' })
  const before = await rig.issues()
  expect(await runRetention(rig.db, rig.clock.now)).toMatchObject({ occurrences: 3 })
  expect(await rig.issues()).toEqual(before)
  expect(before.map(({ times_seen }) => times_seen)).toEqual([5, 2])
  const { stats } = await rig.handlers.getIssueStats({ id: before[0]!.id, period: '30d' }, rig.call)
  expect(stats.total).toBe(5)
  const { latest_event: latest } = await rig.handlers.getIssue({ id: before[0]!.id }, rig.call)
  expect(latest).toMatchObject({ timestamp: before[0]!.last_seen, next_event_id: '' })
  expect(latest!.previous_event_id).not.toBe('')
})

const bodies = async (rig: Rig) => {
  const rows = await rig.db.read.selectFrom('occurrence').select('body').orderBy('timestamp').execute()
  return rows.map(({ body }) => body !== null)
}

test('what an issue keeps beyond the retention time keeps no body, and an event that comes later keeps its own', async () => {
  await using rig = await openRig()
  await rig.settings({ retention_days: 7 })
  for (let count = 0; count < 3; count += 1) {
    rig.clock.now += dayMs
    await rig.append({ payload: { user: { email: 'ada@example.com' } } })
  }
  rig.clock.now += 6 * dayMs
  expect(await runRetention(rig.db, rig.clock.now)).toMatchObject({ occurrences: 0, bodies: 1 })
  expect(await bodies(rig)).toEqual([false, true, true])
  rig.clock.now += 3 * dayMs
  expect(await runRetention(rig.db, rig.clock.now)).toMatchObject({ occurrences: 1, bodies: 1 })
  expect(await bodies(rig)).toEqual([false, false])
  await rig.append({})
  expect(await runRetention(rig.db, rig.clock.now)).toEqual({ occurrences: 1, bodies: 0, rollups: expect.any(Number) })
  expect(await bodies(rig)).toEqual([false, true])
  const { id } = (await rig.issues())[0]!
  const { events } = await rig.handlers.listIssueEvents({ id }, rig.call)
  const { event } = await rig.handlers.getIssueEvent({ id, event_id: events.at(-1)!.id }, rig.call)
  expect(event.truncation_signals).toEqual(['event.body:retention:0/1'])
  expect(JSON.stringify(event)).not.toContain('ada@example.com')
})

/** Copies the newest occurrence of a product `count` times, as if they came now. */
async function addCopies(rig: Rig, productId: number, count: number) {
  await rig.db.batch(async (prepare) => {
    await prepare(
      `WITH RECURSIVE copy (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < ?1)
       INSERT INTO occurrence (id, product_id, issue_id, sdk_event_id, timestamp, received_at, place_id, summary,
         body, size_bytes, before_times_seen)
       SELECT id || n, product_id, issue_id, id || n, CAST(?3 AS bigint) + n % 1000, CAST(?3 AS bigint) + n / 30000, place_id, summary, NULL, 1, 0
       FROM copy, (SELECT * FROM occurrence WHERE product_id = ?2 ORDER BY seq DESC LIMIT 1) AS newest`,
    ).run(count, productId, rig.clock.now)
    await prepare('UPDATE issue SET times_seen = times_seen + ?1 WHERE product_id = ?2').run(count, productId)
  })
}

test(
  'one run removes everything it should, of every product, however loud the first of them is',
  { timeout: 30_000 },
  async () => {
    await using rig = await openRig()
    const second = await rig.newProduct('TWO')
    await rig.append({})
    await rig.store.append(second, rig.crash({}))
    await addCopies(rig, rig.productId, 52_000)
    await addCopies(rig, second, 3_000)
    rig.clock.now += dayMs
    await runRetention(rig.db, rig.clock.now)
    const left = async (productId: number) =>
      (await rig.db.read.selectFrom('occurrence').select('id').where('product_id', '=', productId).execute()).length
    expect([await left(rig.productId), await left(second)]).toEqual([1000, 1000])
    const fine = await rig.db.read
      .selectFrom('occurrence_rollup')
      .select('bucket')
      .where('resolution', '=', 10)
      .execute()
    expect(fine).toEqual([])

    rig.clock.now += 100 * dayMs
    await runRetention(rig.db, rig.clock.now)
    expect([await left(rig.productId), await left(second)]).toEqual([2, 2])
  },
)

test('a run that is told to stop ends after the step it is in', async () => {
  await using rig = await openRig()
  await rig.append({})
  await addCopies(rig, rig.productId, 5_000)
  rig.clock.now += 100 * dayMs
  const stopping = new AbortController()
  const run = runRetention(rig.db, rig.clock.now, stopping.signal)
  stopping.abort()
  expect((await run).occurrences).toBeLessThanOrEqual(1_000)
})

test('fine rollups go when no period reads them any more, hourly ones stay', async () => {
  await using rig = await openRig()
  await rig.append({})
  const resolutions = async () =>
    (await rig.db.read.selectFrom('occurrence_rollup').select('resolution').orderBy('resolution').execute()).map(
      (row) => row.resolution,
    )
  expect(await resolutions()).toEqual([10, 600, 3600])
  rig.clock.now += 3 * hourMs
  await runRetention(rig.db, rig.clock.now)
  expect(await resolutions()).toEqual([600, 3600])
  rig.clock.now += 4 * dayMs
  await runRetention(rig.db, rig.clock.now)
  expect(await resolutions()).toEqual([3600])
})

test('a sample has its size, and the first and the last position', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 500 }), fc.integer({ min: 3, max: 5000 }), (size, count) => {
      fc.pre(count > size)
      const sample = [...evenSample(count, size)]
      expect(sample).toHaveLength(size)
      expect([sample[0], sample.at(-1)]).toEqual([0, count - 1])
    }),
  )
})
