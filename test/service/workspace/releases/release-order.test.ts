import fc from 'fast-check'
import { expect, test } from 'vitest'
import { orderReleases } from '../../../../src/service/workspace/releases/release-order.ts'

const release = (version: string, created_at: number, released_at: number | null = null) => ({
  id: `${version}@${created_at}`,
  version,
  created_at,
  released_at,
})

const versionsOf = (releases: readonly { version: string }[]) =>
  orderReleases(releases as never).map(({ version }: { version: string }) => version)

test('the time of release decides before the version', () => {
  expect(versionsOf([release('2.0.0', 1, 100), release('1.0.0', 2, 200)])).toEqual(['2.0.0', '1.0.0'])
})

test('without times versions decide, also behind a package name or a v, and before the order of creation', () => {
  const releases = [release('shop@1.10.0', 1), release('v1.9.0', 2), release('1.9.0-rc.1', 3)]
  expect(versionsOf(releases)).toEqual(['1.9.0-rc.1', 'v1.9.0', 'shop@1.10.0'])
})

test('names that are no versions stand in the order of creation', () => {
  expect(versionsOf([release('blue', 3), release('green', 1), release('red', 2)])).toEqual(['green', 'red', 'blue'])
})

test('an undated version finds its place among dated ones', () => {
  const dated = [release('1.0.0', 1, 10), release('1.2.0', 2, 20), release('1.4.0', 3, 30)]
  expect(versionsOf([release('1.3.0', 9), ...dated])).toEqual(['1.0.0', '1.2.0', '1.3.0', '1.4.0'])
})

test('the order is one whatever the order of reading, and loses nothing', () => {
  const version = fc.oneof(
    fc.constantFrom('1.0.0', '1.1.0', '2.0.0', 'main'),
    fc.string({ minLength: 1, maxLength: 3 }),
  )
  const some = fc.record({
    id: fc.uuid(),
    version,
    created_at: fc.nat(20),
    released_at: fc.option(fc.nat(20)),
  })
  const releases = fc.uniqueArray(some, { selector: ({ id }) => id, maxLength: 12 })
  const shuffled = releases.chain((all) =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length })),
  )
  fc.assert(
    fc.property(shuffled, ([one, other]) => {
      const ordered = orderReleases(one)
      expect(orderReleases(other)).toEqual(ordered)
      expect(ordered.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(one.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
    }),
  )
})

test('two releases are ordered by date, then by version, then by creation', () => {
  const older = (left: ReturnType<typeof release>, right: ReturnType<typeof release>) => {
    expect(orderReleases([left, right])).toEqual([left, right])
    expect(orderReleases([right, left])).toEqual([left, right])
  }
  older(release('2.0.0', 9, 1), release('1.0.0', 1, 2))
  older(release('1.9.0', 9, 5), release('1.10.0', 1, 5))
  older(release('shop@1.9.0', 9), release('shop@1.10.0', 1, 3))
  older(release('2.0.0-rc.1', 9), release('2.0.0', 1))
  older(release('zebra', 1), release('ant', 2))
  older(release('1.0.0', 1), release('nightly', 2))
})

test('of releases of the same time versions keep their order, wherever a name was created among them', () => {
  const circle = [release('1.0.0', 3, 7), release('name', 2, 7), release('2.0.0', 1, 7)]
  for (const given of [circle, circle.toReversed(), [circle[1], circle[0], circle[2]]]) {
    const versions = versionsOf(given as never)
    expect(versions.indexOf('1.0.0')).toBeLessThan(versions.indexOf('2.0.0'))
  }
})

test('a text of more than 64 characters is a name, however much it looks like a version', () => {
  const long = (major: number) => `shop@${major}.0.0-${'a.'.repeat(40)}b`
  expect(versionsOf([release(long(1), 2), release(long(2), 1)])).toEqual([long(2), long(1)])
  const fits = (major: number) => `${'@company/'.repeat(9)}shop@${major}.0.0-${'a.'.repeat(20)}b`
  expect(versionsOf([release(fits(1), 2), release(fits(2), 1)])).toEqual([fits(1), fits(2)])
})

test('each version is read once per ordering', () => {
  let reads = 0
  const counted = Array.from({ length: 500 }, (_, index) => ({
    ...release('', index, index % 3 === 0 ? index * 7 : null),
    id: String(index),
    get version() {
      reads += 1
      return index % 2 === 0 ? `shop@1.${(index * 37) % 101}.0` : `c${(index * 7919) % 503}`
    },
  }))
  expect(orderReleases(counted)).toHaveLength(500)
  expect(reads).toBe(500)
})
