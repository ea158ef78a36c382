import { isDeepStrictEqual } from 'node:util'
import type { Rows } from '../../sql/database.ts'
import { rememberedOfTables } from '../../sql/remembered.ts'
import type { TestFact } from '../facts.ts'
import type { LinkedTests } from './links.ts'
import type { FactsQuery } from './query.ts'
import { readTestsAt } from './tests.ts'

/** All that the facts of tests are read from. */
export const TEST_TABLES = ['test', 'test_result', 'test_run'] as const

/** Of a test, with its text in the digest. */
const TEST_BYTES = 1_000

interface Read {
  facts: readonly TestFact[]
  links: LinkedTests
}

/**
 * The facts of `readTestsAt`, read once until a commit changes a table of theirs or time one of them (decision 093). A test
 * that is as it was is the same object again, and so is a list of the same tests: the digest knows their texts. Callers
 * share the list and must not change it.
 */
export async function readTests(rows: Rows, query: FactsQuery, links: LinkedTests): Promise<readonly TestFact[]> {
  const { scope, counting, carried, maxAgeMs, now } = query
  const place = JSON.stringify([scope.productId, counting, carried, maxAgeMs])
  const { facts: tests } = await rememberedOfTables<Read>(rows, `tests of the gate in ${place}`, {
    tables: TEST_TABLES,
    now,
    async read(before) {
      const { facts, until } = await readTestsAt(rows, query, links)
      return { answer: { facts: sameAsBefore(facts, before?.facts), links }, until }
    },
    isFor: (read) => areSameLinks(read.links, links),
    size: ({ facts }) => TEST_BYTES * (facts.length + 1),
  })
  return tests
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
