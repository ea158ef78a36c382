import type { Rows } from '../../sql/database.ts'
import { rememberedUntil } from '../../sql/remembered.ts'
import { readLinks } from './links.ts'
import type { FactsQuery } from './query.ts'
import { readRequirements } from './requirements.ts'

/**
 * The requirements that the policy counts, with the tests that are linked to them, read once for each committed state of the
 * database while time changes no state of one (decision 093). Callers share the answer and must not change it.
 */
export function readLinkedRequirements(rows: Rows, query: FactsQuery) {
  const { scope, policy, counting, maxAgeMs, now } = query
  const place = JSON.stringify([scope.productId, policy.include_draft_requirements, counting, maxAgeMs])
  return rememberedUntil(rows, `requirements of the gate in ${place}`, {
    now,
    async compute() {
      const { requirements, decisive, until } = await readRequirements(rows, query)
      const links = await readLinks(rows, scope.productId, requirements)
      return { answer: { requirements, decisive, ...links }, until }
    },
  })
}
