import type { IssueFact, RiskFact, TestFact } from '../../../src/service/gate/facts.ts'
import type { Judged } from '../../../src/service/gate/judge/index.ts'

export interface ReferenceCondition {
  id: string
  status: string
  actual: number
  sample: number
  toPass: number
  /** `type:id` in the order in which the verdict lists them. */
  evidence: string[]
  newTotal: number
  waivedBy: string[]
}

export interface ReferenceVerdict {
  status: string
  conditions: ReferenceCondition[]
  unvouched: { newIssues: number; regressedIssues: number; reopenedIssues: number }
  unreviewed: number
}

interface Item {
  id: string
  key: string
  cost: number
}

/** The rules (contract §7) read aloud, one after the other; slow and obvious on purpose, without code of the service. */
export function reference({ facts, policy, risks, previous, baseline }: Judged): ReferenceVerdict {
  const conditions: ReferenceCondition[] = []
  for (const rule of policy.conditions) {
    if (!rule.enabled) continue
    let sample = 0
    let verified = 0
    const items: Item[] = []
    const isCoverage = rule.metric === 'critical_coverage' || rule.metric === 'overall_coverage'
    const isShare = isCoverage || rule.metric === 'flaky_ratio'

    if (isCoverage) {
      for (const one of facts.requirements) {
        const isImportant =
          one.priority === 'PRIORITY_CRITICAL' ||
          one.priority === 'PRIORITY_HIGH' ||
          one.risk === 'RISK_LEVEL_CRITICAL' ||
          one.risk === 'RISK_LEVEL_HIGH'
        if (rule.metric === 'critical_coverage' && !isImportant) continue
        sample += 1
        if (one.state === 'verified') verified += 1
        else {
          const cost = one.state === 'no_test' ? 3 : one.failing ? 2 : 1
          items.push({ id: `requirement:${one.id}`, key: one.key, cost })
        }
      }
    }
    for (const one of facts.tests) {
      const item = { id: `test:${one.id}`, key: one.key, cost: 1 }
      if (rule.metric === 'failing_tests') {
        if (isRed(one)) items.push(item)
        if (isRed(one) || isProof(one)) sample += 1
      }
      if (rule.metric === 'stale_results' && one.linked) {
        sample += 1
        if (one.newest === undefined) items.push({ ...item, cost: 2 })
        else if (one.newest.stale || one.newest.carried) items.push(item)
      }
      if (rule.metric === 'flaky_ratio' && one.runs > 0) {
        sample += 1
        if (one.flakyRuns > 0) items.push(item)
      }
      if (rule.metric === 'quarantined_tests' && one.linkedToImportant) {
        sample += 1
        if (one.quarantined) items.push(item)
      }
    }
    for (const one of facts.issues) {
      const item = { id: `issue:${one.id}`, key: one.key, cost: 1 }
      if (one.vouchedBy === '') continue
      const isSerious = one.level === 'fatal' || one.level === 'error'
      if (rule.metric === 'new_issues' && isSerious) {
        sample += 1
        if (countsAsUnresolved(one) && one.isNew) items.push(item)
      }
      if (rule.metric === 'regressed_issues') {
        sample += 1
        if (countsAsUnresolved(one) && one.isRegressed) items.push(item)
      }
    }
    if (rule.metric === 'suspect_links') {
      for (const one of facts.suspectLinks) {
        sample += 1
        items.push({ id: `link:${one.testId}/${one.requirementId}`, key: one.key, cost: 1 })
      }
    }
    if (rule.metric === 'unreviewed_exclusions') {
      for (const one of facts.exclusions) {
        sample += 1
        const isFixedIssue =
          one.kind === 'issue_resolved' && facts.issues.some((issue) => issue.id === one.item.id && issue.isFixed)
        if (one.by_agent && one.reviewed_by === null && !isFixedIssue) {
          items.push({ id: `exclusion:${one.id}`, key: one.item.key, cost: 1 })
        }
      }
    }

    const total = isCoverage ? verified : items.length
    const value = (count: number) => (isShare ? (sample === 0 ? 0 : count / sample) : count)
    const isHeld = (count: number) =>
      rule.comparator === 'COMPARATOR_GTE' ? value(count) >= rule.threshold : value(count) <= rule.threshold
    let changed = 0
    // A share of nothing cannot change.
    while (changed <= sample && !isHeld(rule.comparator === 'COMPARATOR_GTE' ? total + changed : total - changed))
      changed += 1

    const covering = (item: Item) => risks.filter((risk) => doesCover(risk, item.id, rule.id))
    const isCovered = (item: Item) => covering(item).length > 0
    let needed = rule.min_sample
    if (isShare || rule.metric === 'failing_tests') needed = Math.max(needed, 1)
    let status = 'FAIL'
    if (sample < needed && isShare) status = 'NOT_EVALUATED'
    else if (sample < needed && isHeld(total)) status = 'NOT_EVALUATED'
    else if (isHeld(total)) status = 'PASS'
    else if (items.length > 0 && items.every(isCovered)) status = 'WAIVED'

    const known = (baseline ?? previous)?.evidence[rule.id] ?? {}
    const isNew = (item: Item) => !(item.id in known)
    const place = (item: Item) =>
      [isNew(item) ? 0 : 1, item.cost, item.key.replace(/\d+/g, (digits) => digits.padStart(9, '0')), item.id].join('|')
    const order = items.map((item) => ({ id: item.id, place: place(item) }))
    order.sort((a, b) => (a.place < b.place ? -1 : 1))
    conditions.push({
      id: rule.id,
      status: `CONDITION_STATUS_${status}`,
      actual: value(total),
      sample,
      toPass: status === 'NOT_EVALUATED' ? 0 : changed,
      evidence: order.map(({ id }) => id),
      newTotal: items.filter(isNew).length,
      waivedBy: status === 'WAIVED' ? [...new Set(items.flatMap(covering).map(({ id }) => id))].toSorted() : [],
    })
  }

  const is = (severity: string, ...statuses: string[]) =>
    policy.conditions.some(
      (rule) =>
        rule.severity === `CONDITION_SEVERITY_${severity}` &&
        conditions.some((one) => one.id === rule.id && statuses.includes(one.status.slice('CONDITION_STATUS_'.length))),
    )
  const isUndecided =
    facts.incompleteRuns.length > 0 ||
    !facts.tests.some(isProof) ||
    conditions.every(({ status }) => status === 'CONDITION_STATUS_NOT_EVALUATED')
  let status = 'PASS'
  if (is('ADVISORY', 'FAIL', 'WAIVED')) status = 'WARN'
  if (is('BLOCKING', 'WAIVED')) status = 'PASS_WITH_RISK'
  if (isUndecided) status = 'INCONCLUSIVE'
  if (is('BLOCKING', 'FAIL')) status = 'FAIL'

  return {
    status: `VERDICT_STATUS_${status}`,
    conditions,
    unvouched: {
      newIssues: facts.issues.filter(
        (one) =>
          one.status === 'unresolved' &&
          countsAsUnresolved(one) &&
          ['fatal', 'error'].includes(one.level) &&
          one.isNewUnvouched &&
          (one.vouchedBy === '' || !one.isNew),
      ).length,
      regressedIssues: facts.issues.filter(
        (one) =>
          one.status === 'unresolved' &&
          countsAsUnresolved(one) &&
          one.isRegressedUnvouched &&
          (one.vouchedBy === '' || !one.isRegressed),
      ).length,
      reopenedIssues: facts.issues.filter(
        (one) => one.status === 'unresolved' && one.reopenedUnvouched && !countsAsUnresolved(one),
      ).length,
    },
    unreviewed: facts.exclusions.filter(
      (one) =>
        one.by_agent &&
        one.reviewed_by === null &&
        !(one.kind === 'issue_resolved' && facts.issues.some((issue) => issue.id === one.item.id && issue.isFixed)),
    ).length,
  }
}

function isRed({ newest, quarantined }: TestFact): boolean {
  if (newest === undefined || newest.carried || quarantined) return false
  return newest.status === 'RESULT_STATUS_FAILED' || newest.status === 'RESULT_STATUS_ERROR'
}

function isProof({ newest, quarantined }: TestFact): boolean {
  if (newest === undefined || newest.carried || newest.stale || quarantined) return false
  return ['PASSED', 'FLAKY', 'FAILED', 'ERROR'].includes(newest.status.slice('RESULT_STATUS_'.length))
}

function countsAsUnresolved(issue: IssueFact): boolean {
  if (issue.status === 'resolved') return issue.stillFiring
  if (issue.status === 'ignored') return false
  if (issue.stillFiring) return true
  return !issue.reopenedUnvouched && !issue.isFixed
}

function doesCover(risk: RiskFact, item: string, conditionId: string): boolean {
  if (risk.state !== 'RISK_STATE_APPROVED' || !risk.counts) return false
  const conditions = risk.covered.get(item)
  if (conditions === undefined) return false
  return conditions.length === 0 || conditions.includes(conditionId)
}
