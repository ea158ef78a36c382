import fc from 'fast-check'
import { compare } from 'semver'
import { expect, test } from 'vitest'
import { judge, type Fix } from '../../../../../src/service/errors/issues/record/reopens.ts'
import { compareFixes, newestFor } from '../../../../../src/service/workspace/releases/fix-order.ts'

const version = fc.constantFrom('1.0.0', '1.0.1', '1.1.0', '2.0.0-rc.1', '2.0.0', '10.18.7', '10.24.0', '999.9.9')
const environment = fc.constantFrom('production', 'staging')

const release = fc.record({
  id: fc.uuid(),
  version,
  environment,
  known: fc.boolean(),
  released_at: fc.option(fc.nat(9)),
})
const same = { selector: (row: { version: string; environment: string }) => `${row.version} ${row.environment}` }

/** One issue: the releases there are, how many of them before it was resolved, how it was, and the occurrence after it. */
const histories = fc.record({
  releases: fc.uniqueArray(release, { maxLength: 8, ...same }),
  before: fc.nat(8),
  fixed: fc.constantFrom('plain' as const, 'next' as const, 'release' as const),
  pick: fc.nat(),
  event: fc.record({ release: fc.option(version, { freq: 6 }), environment }),
})

type History = typeof histories extends fc.Arbitrary<infer T> ? T : never

function split({ releases, before, event }: History) {
  const here = releases.filter((row) => row.environment === event.environment)
  const known = releases.filter((row) => row.known)
  return { here, atFirst: known.filter((row) => releases.indexOf(row) < before), known }
}

/** The table of contract §10.3, said once more in other words. */
function expected(history: History): boolean {
  const { fixed, pick, event } = history
  const { here, atFirst, known } = split(history)
  const newest = atFirst.filter((row) => here.includes(row)).map((row) => row.version)
  const [last] = newest.toSorted(compare).toReversed()
  const knownHere = known.filter((row) => here.includes(row)).map((row) => row.version)
  if (fixed === 'plain' && (event.release === null || knownHere.length === 0)) return true
  if (event.release === null || !knownHere.includes(event.release)) return false
  if (fixed === 'release' && atFirst.length > 0)
    return compare(event.release, atFirst[pick % atFirst.length]!.version) >= 0
  if (last === undefined) return true
  return fixed === 'plain' ? compare(event.release, last) >= 0 : compare(event.release, last) > 0
}

async function actual(history: History): Promise<boolean> {
  const { fixed, pick, event } = history
  const { here, atFirst, known } = split(history)
  const row = (one: (typeof here)[number]) => ({
    ...one,
    origin: one.known ? 'ORIGIN_MANUAL' : 'ORIGIN_EVENT',
    created_at: history.releases.indexOf(one),
  })
  const rows = atFirst.map(row)
  const newest = newestFor(
    rows.filter((one) => one.environment === event.environment),
    '',
  )
  const fix: Fix =
    fixed === 'release' && rows.length > 0
      ? { kind: 'release', release: rows[pick % rows.length]! }
      : { kind: fixed === 'plain' ? 'plain' : 'next', newest }
  const own = here.find((one) => one.version === event.release)
  // A version that nobody has recorded yet comes with the event.
  const fresh = { id: 'fresh', version: event.release ?? '', released_at: null, created_at: 99, origin: 'ORIGIN_EVENT' }
  const judgement = await judge(fix, {
    namesRelease: event.release !== null,
    release: event.release === null ? undefined : own === undefined ? fresh : row(own),
    known: () => Promise.resolve(known.filter((one) => here.includes(one)).map(row)),
  })
  return judgement === 'reopens'
}

test('an occurrence reopens exactly when the table of contract §10.3 says so', async () => {
  const seen = { true: 0, false: 0 }
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      seen[`${expected(history)}`] += 1
      expect(await actual(history)).toBe(expected(history))
    }),
    { numRuns: 3000 },
  )
  expect(Math.min(seen.true, seen.false)).toBeGreaterThan(300)
})

test('a release that only events named reopens nothing that names a release to be fixed in', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const forged = { ...history, event: { ...history.event, release: '999.9.9' as const } }
      const named = forged.releases.filter((row) => row.version !== '999.9.9' || !row.known)
      const { atFirst, known, here } = split({ ...forged, releases: named })
      fc.pre(known.some((row) => here.includes(row)) || (history.fixed !== 'plain' && atFirst.length > 0))
      expect(await actual({ ...forged, releases: named })).toBe(false)
    }),
  )
})

test('the order of versions is a total one', () => {
  const row = fc.record({ id: fc.uuid(), version, released_at: fc.option(fc.nat(9)), created_at: fc.nat(9) })
  fc.assert(
    fc.property(row, row, row, (one, two, three) => {
      expect(Math.sign(compareFixes(one, two))).toBe(-Math.sign(compareFixes(two, one)) + 0)
      const ordered = [one, two, three].toSorted(compareFixes)
      expect(compareFixes(ordered[0]!, ordered[2]!)).toBeLessThanOrEqual(0)
    }),
  )
})
