import { createHash } from 'node:crypto'
import type * as z from 'zod'
import type { GatePolicy } from '../../../contract/quality-gate/policy.ts'
import { isObject } from '../../../lib/objects.ts'
import { isVouched } from '../judge/counting.ts'
import type { GateFacts, IssueFact, RiskFact } from '../facts.ts'

/**
 * A digest of everything that a verdict rests on: facts, policy and risks. Equal inputs have the same digest. Left out is
 * what changes without deciding anything: titles, which events and reports may rewrite, how often a test ran, and what
 * only events with a public key say of issues, so that their senders cannot make a verdict stale.
 */
export function digestInputs(
  facts: GateFacts,
  policy: z.output<typeof GatePolicy>,
  risks: readonly RiskFact[],
): string {
  const tests = facts.tests.map(({ runs, flakyRuns, ...test }) => ({
    ...test,
    ran: runs > 0,
    isFlaky: flakyRuns > 0,
  }))
  const covered = risks.map((risk) => ({ ...risk, covered: [...risk.covered].toSorted() }))
  const lists: readonly (readonly object[])[] = [
    facts.requirements,
    tests,
    facts.suspectLinks,
    facts.issues.filter(decides).map(vouchedPart),
    facts.exclusions,
    facts.incompleteRuns,
    covered,
  ]
  const hash = createHash('sha256').update(canonical(policy))
  for (const list of lists) hash.update(`\n${list.map(canonical).toSorted().join('\n')}\n`)
  return hash.digest('hex')
}

/** Whether an issue is in a condition or keeps an exclusion out of one; others are listed for their unvouched facts. */
function decides(issue: IssueFact): boolean {
  return issue.isFixed || (isVouched(issue) && (issue.isNew || issue.isRegressed || issue.stillFiring))
}

function vouchedPart(issue: IssueFact): Partial<IssueFact> {
  const { isNewUnvouched: _new, isRegressedUnvouched: _regressed, reopenedUnvouched: _reopened, ...vouched } = issue
  return vouched
}

/** JSON with the members in order of their names, without titles. A replacer of `JSON.stringify` takes twice as long. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const names = Object.keys(value).filter((name) => name !== 'title' && value[name] !== undefined)
  const members = names.toSorted().map((name) => `"${name}":${canonical(value[name])}`)
  return `{${members.join(',')}}`
}
