import { hourMs } from '../../shared/times.ts'
import type { Rows } from '../../sql/database.ts'
import { readGateIssues } from '../../errors/issues/read/gate-issues.ts'
import { isAddition } from '../../workspace/exclusions.ts'
import { readExclusions } from '../exclusions.ts'
import type { ExclusionFact, GateFacts } from '../facts.ts'
import type { FactsQuery } from './query.ts'
import { readIncompleteRuns } from './incomplete-runs.ts'
import { resultsElsewhere } from './elsewhere.ts'
import { readLinkedRequirements } from './kept-requirements.ts'
import { readTests } from './kept-tests.ts'
import { isUnexposed } from './unexposed.ts'

/**
 * All facts of a scope at one time. They reflect one state of the database only if nobody else can write meanwhile, as in a
 * transaction that stores a verdict.
 */
export async function readFacts(rows: Rows, asked: Pick<FactsQuery, 'scope' | 'policy' | 'now'>): Promise<GateFacts> {
  const { scope, policy } = asked
  const by = policy.require_ci_results ? ({ sender: 'ci' } as const) : {}
  const query: FactsQuery = {
    ...asked,
    counting: { ...scope.counting, ...by },
    carried: scope.carried && { ...scope.carried, ...by },
    maxAgeMs: policy.result_max_age_hours * hourMs,
  }
  // A server answers them at the same time.
  const [{ requirements, decisive, linked, suspect }, inEffect, isNowhere, incompleteRuns] = await Promise.all([
    readLinkedRequirements(rows, query),
    readExclusions(rows, scope.productId, asked),
    isUnexposed(rows, scope),
    readIncompleteRuns(rows, query),
  ])
  // An addition matters while a requirement of the scope is verified by nothing else.
  const isWithout = ({ id, kind }: ExclusionFact) => isAddition(kind) && !decisive.has(id)
  const exclusions = inEffect.some(isWithout) ? inEffect.filter((one) => !isWithout(one)) : inEffect
  const [tests, issues] = await Promise.all([
    readTests(rows, query, linked),
    readGateIssues(rows, {
      productId: scope.productId,
      releaseId: scope.releaseId,
      environmentId: scope.environmentId,
      now: asked.now,
      alsoIds: exclusions.filter(({ item }) => item.type === 'issue').map(({ item }) => item.id),
    }),
  ])
  return {
    requirements,
    tests,
    elsewhere: tests.some(({ newest }) => newest !== undefined) ? [] : await resultsElsewhere(rows, query),
    isUnexposed: isNowhere,
    suspectLinks: suspect,
    issues,
    exclusions,
    incompleteRuns,
  }
}
