import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { bucketSeconds, periodMs, type PeriodName } from '../../../../../src/service/errors/issues/buckets.ts'
import { createEventStore } from '../../../../../src/service/errors/issues/record/store.ts'
import { hourMs, openRig } from '../rig.ts'
import { tries } from '../../../../property-tries.ts'

const periods = Object.keys(periodMs) as PeriodName[]

test('sums and series of every period equal a slow recount of the occurrences', async () => {
  await using rig = await openRig()
  let products = 0
  const Facts = fc.record({
    ago: fc.oneof(fc.integer({ min: 0, max: 200_000 }), fc.integer({ min: 0, max: 29 * 24 * hourMs })),
    environment: fc.constantFrom('production', 'staging'),
    release: fc.constantFrom('1.0', '1.1', ''),
    user: fc.option(fc.constantFrom('ada', 'bob'), { nil: undefined }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(Facts, { minLength: 1, maxLength: 40 }), async (facts) => {
      const productId = await rig.newProduct(`P${++products}`)
      rig.clock.now += 77_777
      await Promise.all(facts.map((fact) => rig.store.append(productId, rig.crash(fact))))
      const stored = await rig.db.read
        .selectFrom('occurrence')
        .innerJoin('place', 'place.id', 'occurrence.place_id')
        .innerJoin('environment', 'environment.id', 'place.environment_id')
        .select(['issue_id', 'timestamp', 'environment_id', 'release_id', 'user_hash', 'environment.name'])
        .where('occurrence.product_id', '=', productId)
        .execute()
      const id = stored[0]!.issue_id
      for (const period of periods) {
        for (const environment_id of [undefined, stored[0]!.environment_id]) {
          const { stats } = await rig.handlers.getIssueStats({ id, period, environment_id }, rig.call)
          const [from, to] = [Date.parse(stats.from), Date.parse(stats.to)]
          const width = bucketSeconds[period] * 1000
          const here = stored.filter((row) => environment_id === undefined || row.environment_id === environment_id)
          const within = here.filter((row) => row.timestamp >= from && row.timestamp < to)
          expect([to - from, from % width]).toEqual([periodMs[period], 0])
          expect(from <= rig.clock.now && rig.clock.now < to).toBe(true)
          expect(stats.total).toBe(within.length)
          expect(stats.series).toEqual(
            Array.from({ length: periodMs[period] / width }, (_, index) => {
              const at = from + index * width
              const count = within.filter((row) => row.timestamp >= at && row.timestamp < at + width).length
              return { at: new Date(at).toISOString(), count }
            }),
          )
          expect(stats.users_affected).toBe(new Set(within.map((row) => row.user_hash).filter(Boolean)).size)
          for (const one of stats.environments) {
            const there = within.filter((row) => row.environment_id === one.environment_id)
            expect([one.count, one.series.reduce((sum, { count }) => sum + count, 0)]).toEqual([
              there.length,
              there.length,
            ])
          }
          for (const one of stats.releases) {
            expect(one.count).toBe(within.filter((row) => row.release_id === one.release_id).length)
          }
          const places = new Set(here.map((row) => row.environment_id))
          expect(new Set(stats.environments.map((one) => one.environment_id))).toEqual(places)
        }
      }
    }),
    { numRuns: tries(15) },
  )
})

test('statistics follow each event, whichever process stored it, and the time', async () => {
  await using rig = await openRig()
  await rig.append({ ago: 6.5 * 24 * hourMs, user: 'ada', environment: 'production' })
  const { id } = (await rig.issues())[0]!
  const read = async (environment_id?: string) => {
    const { stats } = await rig.handlers.getIssueStats({ id, environment_id }, rig.call)
    return [stats.total, stats.users_affected]
  }
  expect(await read()).toEqual([1, 1])
  await rig.append({ user: 'bob', environment: 'staging' })
  expect(await read()).toEqual([2, 2])
  const { stats } = await rig.handlers.getIssueStats({ id }, rig.call)
  for (const { environment_id, count } of stats.environments) expect(await read(environment_id)).toEqual([count, 1])
  const another = await rig.openAnother()
  const { symbolicator, platform } = rig
  const store = createEventStore({ db: another, symbolicator, platform, onError: () => undefined })
  await store.append(rig.productId, rig.crash({ user: 'eve' }))
  await store.idle()
  await another.close()
  expect(await read()).toEqual([3, 3])
  rig.clock.now += 24 * hourMs
  expect(await read()).toEqual([2, 2])
})

test('the split by environment names where and since when', async () => {
  await using rig = await openRig()
  await rig.append({ environment: 'production', release: '1.0', ago: 3 * hourMs })
  await rig.append({ environment: 'production', release: '1.0' })
  await rig.append({ environment: 'somewhere', ago: 40 * 60_000 })
  const { stats } = await rig.handlers.getIssueStats({ id: (await rig.issues())[0]!.id }, rig.call)
  expect({ ...stats, series: [] }).toMatchObject({ period: '7d', bucket_seconds: 7200, total: 3 })
  expect(stats.environments).toMatchObject([
    {
      environment: 'production',
      environment_known: true,
      count: 2,
      first_seen: '2026-11-21T09:00:00.000Z',
      last_seen: '2026-11-21T12:00:00.000Z',
    },
    {
      environment: 'somewhere',
      environment_known: false,
      count: 1,
      first_seen: '2026-11-21T11:20:00.000Z',
      last_seen: '2026-11-21T11:20:00.000Z',
    },
  ])
  expect(stats.releases).toMatchObject([{ version: '1.0', known: false, environment: 'production', count: 2 }])
})

test('the answer holds the 50 environments and releases with most occurrences, counted right', async () => {
  await using rig = await openRig()
  const crashes = Array.from({ length: 60 }, (_, index) => ({ environment: `e${index}`, release: `r${index}` }))
  await Promise.all([...crashes, ...crashes.slice(8)].map((crash) => rig.append(crash)))
  const { stats } = await rig.handlers.getIssueStats({ id: (await rig.issues())[0]!.id }, rig.call)
  expect(stats.total).toBe(112)
  for (const places of [stats.environments, stats.releases]) {
    expect(places.map(({ count }) => count)).toEqual(Array.from({ length: 50 }, () => 2))
  }
  const [first] = stats.environments
  expect(first!.series.reduce((sum, { count }) => sum + count, 0)).toBe(2)
})

test('an issue in 40,000 environments has an answer of the same size', async () => {
  await using rig = await openRig()
  await rig.append()
  const { id } = (await rig.issues())[0]!
  await rig.db.batch(async (prepare) => {
    const presence = prepare(`INSERT INTO issue_presence VALUES (?, ?, ?, 1, ?, ?, 0)`)
    for (let index = 0; index < 40_000; index += 1)
      await presence.run(id, `e${index}`, `r${index}`, rig.clock.now, rig.clock.now)
  })
  const { stats } = await rig.handlers.getIssueStats({ id }, rig.call)
  expect([stats.environments.length, stats.releases.length]).toEqual([50, 50])
  expect(JSON.stringify(stats).length).toBeLessThan(400_000)
})
