import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { runRetention, sampleOf } from '../../../src/service/issues/retention.ts'
import { dayMs, hourMs, openRig } from './rig.ts'
import type { Rig } from './rig.ts'

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
  rig.clock.now += 2 * hourMs
  const statsBefore = await stats()
  expect(await runRetention(rig.db, rig.clock.now)).toEqual({ occurrences: 91, rollups: expect.any(Number) })
  const times = await kept(rig)
  expect(times).toHaveLength(10)
  expect([times[0], times.at(-1)]).toEqual([begin + 1000, begin + 101_000])
  expect(Math.max(...times.slice(1).map((time, index) => time - times[index]!))).toBeLessThanOrEqual(12_000)
  expect(await rig.issues()).toEqual(before)
  expect(await stats()).toEqual(statsBefore)
  expect(before[0]).toMatchObject({ times_seen: 101, users_affected: 9 })
  expect(await runRetention(rig.db, rig.clock.now)).toEqual({ occurrences: 0, rollups: 0 })
})

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
      const sample = [...sampleOf(count, size)]
      expect(sample).toHaveLength(size)
      expect([sample[0], sample.at(-1)]).toEqual([0, count - 1])
    }),
  )
})
