import { Priority, RiskLevel } from '../../../contract/base/common.ts'
import { countedLinks, readCriterionIds } from '../../quality/coverage/links.ts'
import { judgeCoverage } from '../../quality/coverage/rule.ts'
import { requirementKey } from '../../quality/keys.ts'
import { chunks } from '../../sql/chunks.ts'
import type { Rows } from '../../sql/database.ts'
import { readTexts } from '../../sql/json.ts'
import type { RequirementFact } from '../facts.ts'
import { readAdditions, withoutAdditions } from './additions.ts'
import type { FactsQuery } from './query.ts'

/** Statuses that count; drafts do where the policy includes them. */
const approved = ['REQUIREMENT_STATUS_APPROVED']
const withDrafts = [...approved, 'REQUIREMENT_STATUS_PROPOSED', 'REQUIREMENT_STATUS_DRAFT']

export interface CountedRequirements {
  requirements: RequirementFact[]
  /** The additions, by the id of their exclusion, without which a requirement would not be verified. */
  decisive: Set<string>
  /** When the state of one of them changes if nothing is written, epoch milliseconds. */
  until: number
}

/**
 * The requirements that the policy counts, in the order of their keys, each with the state that its own links give it in
 * the scope (contract §1.2): a child counts by itself.
 */
export async function readRequirements(rows: Rows, query: FactsQuery): Promise<CountedRequirements> {
  const { scope, policy, counting, maxAgeMs, now } = query
  const found = await rows
    .selectFrom('requirement')
    .select(['id', 'number', 'title', 'priority', 'risk', 'component_ids', 'acceptance_criteria'])
    .where('product_id', '=', scope.productId)
    .where('deleted_at', 'is', null)
    .where('normative', '=', 1)
    .where('kind', '<>', 'REQUIREMENT_KIND_GROUP')
    .where('status', 'in', policy.include_draft_requirements ? withDrafts : approved)
    .orderBy('number')
    .execute()
  const requirements: RequirementFact[] = []
  const decisive = new Set<string>()
  let until = Infinity
  const additions = await readAdditions(rows, scope.productId)
  for (const chunk of chunks(found)) {
    const ids = chunk.map(({ id }) => id)
    const links = await countedLinks(rows, ids, { ...counting, now })
    for (const row of chunk) {
      const criterionIds = readCriterionIds(row.acceptance_criteria)
      const own = { criterionIds, links: links.get(row.id) ?? [], maxAgeMs, now }
      const { coverage, staleAt } = judgeCoverage(own)
      until = Math.min(until, staleAt ?? Infinity)
      const added = additions.filter(({ requirementId = row.id }) => requirementId === row.id)
      if (coverage.state === 'verified' && added.length > 0) {
        const { links: others, used } = withoutAdditions(own.links, added)
        const isVerified = judgeCoverage({ ...own, links: others }).coverage.state === 'verified'
        for (const { exclusionId } of isVerified ? [] : used) decisive.add(exclusionId)
      }
      requirements.push({
        id: row.id,
        key: requirementKey(row),
        title: row.title,
        priority: Priority.parse(row.priority),
        risk: RiskLevel.parse(row.risk),
        componentIds: readTexts(row.component_ids),
        state: coverage.state,
        failing: coverage.failing,
        suspect: coverage.suspect,
      })
    }
  }
  return { requirements, decisive, until }
}
