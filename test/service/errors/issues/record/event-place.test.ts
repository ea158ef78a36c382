import { expect, test } from 'vitest'
import { ensureEnvironment } from '../../../../../src/service/workspace/releases/environments.ts'
import { ensureRelease } from '../../../../../src/service/workspace/releases/releases.ts'
import { dayMs, openRig, type Crash, type Rig } from '../rig.ts'

const together = (rig: Rig, crashes: readonly Crash[]) => Promise.all(crashes.map((crash) => rig.append(crash)))
const numbered = (count: number, one: (index: number) => Crash) =>
  Array.from({ length: count }, (_, index) => one(index))

async function countOf(rig: Rig, table: 'environment' | 'release') {
  const { rows } = await rig.db.read
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow()
  return rows
}

async function placeOfNewest(rig: Rig) {
  return rig.db.read
    .selectFrom('occurrence')
    .innerJoin('place', 'place.id', 'occurrence.place_id')
    .select(['environment_id', 'release_id'])
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
}

test('events create 100 environments of a product; after that they are stored without one', async () => {
  await using rig = await openRig()
  await together(rig, [...numbered(101, (index) => ({ environment: `made-up-${index}`, release: '1.0' }))])
  expect(await countOf(rig, 'environment')).toBe(100)
  expect(await placeOfNewest(rig)).toEqual({ environment_id: '', release_id: '' })
  const [issue] = await rig.issues()
  expect(issue!.times_seen).toBe(101)
  const { stats } = await rig.handlers.getIssueStats({ id: issue!.id }, rig.call)
  expect(stats.total).toBe(101)
})

test('environments that there are, usual names and what members name have room beyond that', async () => {
  await using rig = await openRig()
  await together(
    rig,
    numbered(100, (index) => ({ environment: `made-up-${index}` })),
  )
  await rig.append({ environment: 'MADE-UP-7', release: '1.0' })
  expect((await placeOfNewest(rig)).release_id).not.toBe('')
  await rig.append({ environment: 'production' })
  expect((await placeOfNewest(rig)).environment_id).not.toBe('')
  const facts = { productId: rig.productId, name: 'eu-west', origin: 'ORIGIN_MANUAL' } as const
  const { environment } = await rig.db.write((rows) => ensureEnvironment(rows, rig.platform, facts))
  await rig.append({ environment: 'eu-west' })
  expect((await placeOfNewest(rig)).environment_id).toBe(environment.id)
  expect(await countOf(rig, 'environment')).toBe(102)
})

test('a deleted environment leaves its room to the next, and each product has its own', async () => {
  await using rig = await openRig()
  await together(
    rig,
    numbered(100, (index) => ({ environment: `made-up-${index}` })),
  )
  await rig.db.write((rows) =>
    rows.updateTable('environment').set({ deleted_at: rig.clock.now }).where('name', '=', 'made-up-3').execute(),
  )
  await together(rig, [{ environment: 'next' }, { environment: 'too-many' }])
  expect(await countOf(rig, 'environment')).toBe(101)
  await rig.store.append(await rig.newProduct('OTHER'), rig.crash({ environment: 'too-many' }))
  expect(await countOf(rig, 'environment')).toBe(102)
})

test('events create 1,000 releases of an environment in 30 days; recorded releases have room beyond that', async () => {
  await using rig = await openRig()
  await together(
    rig,
    numbered(1_001, (index) => ({ release: `c${index}` })),
  )
  expect(await countOf(rig, 'release')).toBe(1_000)
  const { environment_id: environmentId, release_id } = await placeOfNewest(rig)
  expect([environmentId === '', release_id]).toEqual([false, ''])
  await rig.append({ release: 'c5' })
  expect((await placeOfNewest(rig)).release_id).not.toBe('')
  await rig.append({ release: 'c1', environment: 'staging' })
  expect((await placeOfNewest(rig)).release_id).not.toBe('')
  const facts = { productId: rig.productId, environmentId, version: 'recorded', origin: 'ORIGIN_RELEASE' } as const
  const { release } = await rig.db.write((rows) => ensureRelease(rows, rig.platform, facts))
  await rig.append({ release: 'recorded' })
  expect((await placeOfNewest(rig)).release_id).toBe(release.id)
  rig.clock.now += 31 * dayMs
  await rig.append({ release: 'of next month' })
  expect((await placeOfNewest(rig)).release_id).not.toBe('')
})
