import type { Rows } from '../../sql/database.ts'
import { rememberedOfTables } from '../../sql/remembered.ts'
import { readLinks } from './links.ts'
import type { FactsQuery } from './query.ts'
import { readRequirements } from './requirements.ts'

/** What decides the answer. Names of releases and environments are read too, whose rows every event writes. */
export const REQUIREMENT_TABLES = ['requirement', 'test_link', 'test', 'test_result', 'test_run', 'exclusion'] as const

/** Of a requirement, with its text in the digest, and of a linked test. */
const REQUIREMENT_BYTES = 1_000
const LINKED_BYTES = 100

type LinkedRequirements = Awaited<ReturnType<typeof readThem>>['answer']

/**
 * The requirements that the policy counts, with the tests that are linked to them, read once until a commit changes a table of
 * theirs or time the state of one (decision 093). Callers share the answer and must not change it.
 */
export function readLinkedRequirements(rows: Rows, query: FactsQuery): Promise<LinkedRequirements> {
  const { scope, policy, counting, maxAgeMs, now } = query
  const place = JSON.stringify([scope.productId, policy.include_draft_requirements, counting, maxAgeMs])
  return rememberedOfTables(rows, `requirements of the gate in ${place}`, {
    tables: REQUIREMENT_TABLES,
    now,
    read: () => readThem(rows, query),
    size: ({ requirements, linked }) => REQUIREMENT_BYTES * (requirements.length + 1) + LINKED_BYTES * linked.all.size,
  })
}

async function readThem(rows: Rows, query: FactsQuery) {
  const { requirements, decisive, until } = await readRequirements(rows, query)
  const links = await readLinks(rows, query.scope.productId, requirements)
  return { answer: { requirements, decisive, ...links }, until }
}
