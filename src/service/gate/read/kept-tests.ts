import { isDeepStrictEqual } from 'node:util'
import type { Rows } from '../../sql/database.ts'
import { renewed } from '../../sql/remembered.ts'
import type { TestFact } from '../facts.ts'
import type { LinkedTests } from './links.ts'
import type { FactsQuery } from './query.ts'
import { readTestsAt, type LastingTests } from './tests.ts'

/** Of a test, with its text in the digest. */
const TEST_BYTES = 1_000

interface Read extends LastingTests {
  /** The time at which they were read, epoch milliseconds. */
  at: number
  links: LinkedTests
}

/**
 * The facts of `readTestsAt`, read once for each committed state of the database while time changes none of them (decision
 * 093). A test that is as it was in an earlier state is the same object again, and so is a list of the same tests: the
 * digest knows their texts. Callers share the list and must not change it.
 */
export async function readTests(rows: Rows, query: FactsQuery, links: LinkedTests): Promise<readonly TestFact[]> {
  const { scope, counting, carried, maxAgeMs, now } = query
  const readAfter = async (before: Read | undefined): Promise<Read> => {
    const { facts, until } = await readTestsAt(rows, query, links)
    return { facts: sameAsBefore(facts, before?.facts), until, at: now, links }
  }
  const place = JSON.stringify([scope.productId, counting, carried, maxAgeMs])
  const kept = await renewed<{ read: Read }>(rows, `tests of the gate in ${place}`, {
    renew: async (before) => ({ read: await readAfter(before?.read) }),
    size: ({ read }) => TEST_BYTES * (read.facts.length + 1),
  })
  const { read } = kept
  if (read.at > now || now >= read.until || !areSameLinks(read.links, links)) kept.read = await readAfter(read)
  return kept.read.facts
}

function areSameLinks(one: LinkedTests, other: LinkedTests): boolean {
  if (one === other) return true
  return isSameSet(one.all, other.all) && isSameSet(one.important, other.important)
}

function isSameSet(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && one.isSubsetOf(other)
}

/** The facts with those of before in place of equal ones; the list of before if all are equal. */
function sameAsBefore(facts: readonly TestFact[], before: readonly TestFact[] | undefined): readonly TestFact[] {
  if (before === undefined) return facts
  const byId = new Map(before.map((fact) => [fact.id, fact]))
  const same = facts.map((fact) => {
    const known = byId.get(fact.id)
    return isDeepStrictEqual(fact, known) ? (known ?? fact) : fact
  })
  return same.length === before.length && same.every((fact, at) => fact === before[at]) ? before : same
}
