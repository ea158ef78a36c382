import fc from 'fast-check'
import { expect, test } from 'vitest'
import { orderReleases } from '../../../src/service/directory/release-order.ts'

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
