import fc from 'fast-check'
import { expect, test } from 'vitest'
import { defaultGatePolicy } from '../../../src/contract/quality-gate/policy.ts'
import type { GateFacts } from '../../../src/service/gate/facts.ts'
import { judge, type Judged, type Judgement } from '../../../src/service/gate/judge/index.ts'
import { exclusion, failed, issue, requirement, result, suspectLink, testCase } from './product.ts'
import { products } from './products.ts'
import { reference } from './reference.ts'

const fixedRuns = { numRuns: 1000, seed: 13 }
const ranks = ['PASS', 'WARN', 'PASS_WITH_RISK', 'INCONCLUSIVE', 'FAIL'].map((name) => `VERDICT_STATUS_${name}`)

function summaryOf(verdict: Judgement): unknown {
  return {
    status: verdict.status,
    conditions: verdict.conditions.map((one) => ({
      id: one.id,
      status: one.status,
      actual: one.actual,
      sample: one.sample,
      toPass: one.to_pass,
      evidence: Object.keys(verdict.evidenceIdentities[one.id] ?? {}),
      newTotal: one.new_total,
      waivedBy: one.waived_by_risk_ids,
    })),
    unvouched: {
      newIssues: verdict.unvouched.new_issues,
      regressedIssues: verdict.unvouched.regressed_issues,
      reopenedIssues: verdict.unvouched.reopened_issues,
    },
    unreviewed: verdict.exclusions_unreviewed,
  }
}

test('the verdict is what a slow reading of the rules says, for 10,000 products of every status', () => {
  const statuses = new Map<string, number>()
  fc.assert(
    fc.property(products, (input) => {
      const verdict = judge(input)
      statuses.set(verdict.status, (statuses.get(verdict.status) ?? 0) + 1)
      expect(summaryOf(verdict)).toEqual(reference(input))
    }),
    { numRuns: 10_000, seed: 13 },
  )
  const rare = ranks.filter((status) => (statuses.get(status) ?? 0) <= 200)
  expect(rare).toEqual([])
}, 120_000)

test('facts without a test result that counts never pass', () => {
  const results = [
    undefined,
    result({ stale: true }),
    result({ carried: true }),
    result({ status: 'RESULT_STATUS_SKIPPED' }),
  ]
  const property = fc.property(products, fc.nat(3), (input, which) => {
    const tests = input.facts.tests.map((one, index) => ({ ...one, newest: results[(which + index) % 4] }))
    const { status } = judge({ ...input, facts: { ...input.facts, tests } })
    expect(['VERDICT_STATUS_FAIL', 'VERDICT_STATUS_INCONCLUSIVE']).toContain(status)
  })
  fc.assert(property, fixedRuns)
})

/** One more failing item of each condition. It did not run, so that it brings no evidence of its own. */
const additions: readonly ((facts: GateFacts) => GateFacts)[] = [
  (facts) => ({ ...facts, requirements: [...facts.requirements, requirement({ id: 'more', state: 'not_run' })] }),
  (facts) => ({ ...facts, tests: [...facts.tests, testCase({ id: 'more', newest: undefined, runs: 0 })] }),
  (facts) => ({ ...facts, tests: [...facts.tests, testCase({ id: 'more', newest: undefined, flakyRuns: 1 })] }),
  (facts) => ({
    ...facts,
    tests: [...facts.tests, testCase({ id: 'more', newest: undefined, quarantined: true, linked: false, runs: 0 })],
  }),
  (facts) => ({ ...facts, issues: [...facts.issues, issue({ id: 'more', isNew: true })] }),
  (facts) => ({ ...facts, issues: [...facts.issues, issue({ id: 'more', isRegressed: true })] }),
  (facts) => ({ ...facts, suspectLinks: [...facts.suspectLinks, suspectLink({ testId: 'more' })] }),
  (facts) => ({ ...facts, exclusions: [...facts.exclusions, exclusion({ id: 'more' })] }),
  (facts) => ({
    ...facts,
    incompleteRuns: [...facts.incompleteRuns, { runId: 'more', runKey: '', received: 0, expected: 1, missing: [0] }],
  }),
  (facts) => ({ ...facts, tests: [...facts.tests, testCase({ id: 'more', newest: failed, linked: false, runs: 0 })] }),
]

test('one more failing item never improves the status; only a verdict that lacked evidence may become decided', () => {
  const property = fc.property(products, fc.constantFrom(...additions), (input, add) => {
    const before = judge(input)
    if (before.status === 'VERDICT_STATUS_INCONCLUSIVE' && input.facts.incompleteRuns.length === 0) return
    const after = judge({ ...input, facts: add(input.facts) })
    expect(ranks.indexOf(after.status)).toBeGreaterThanOrEqual(ranks.indexOf(before.status))
  })
  fc.assert(property, fixedRuns)
})

test('a risk waives a condition only when frozen lists hold every item of it', () => {
  const property = fc.property(products, (input) => {
    const verdict = judge(input)
    for (const condition of verdict.conditions) {
      if (condition.status !== 'CONDITION_STATUS_WAIVED') continue
      const risks = input.risks.filter(({ id }) => condition.waived_by_risk_ids.includes(id))
      expect(risks.every(({ state, counts }) => counts && state === 'RISK_STATE_APPROVED')).toBe(true)
      const frozen = new Set(risks.flatMap(({ covered }) => [...covered.keys()]))
      const listed = Object.keys(verdict.evidenceIdentities[condition.id]!)
      expect(listed.filter((item) => !frozen.has(item))).toEqual([])
    }
  })
  fc.assert(property, fixedRuns)
})

/** The facts after those items were put right. */
function repair(facts: GateFacts, items: ReadonlySet<string>): GateFacts {
  return {
    ...facts,
    requirements: facts.requirements.map((one) =>
      items.has(`requirement:${one.id}`) ? { ...one, state: 'verified' } : one,
    ),
    tests: facts.tests.map((one) =>
      items.has(`test:${one.id}`) ? { ...one, quarantined: false, flakyRuns: 0, newest: result() } : one,
    ),
    issues: facts.issues.map((one) =>
      items.has(`issue:${one.id}`) ? { ...one, status: 'resolved', isFixed: true, stillFiring: false } : one,
    ),
    suspectLinks: facts.suspectLinks.filter((link) => !items.has(`link:${link.testId}/${link.requirementId}`)),
    exclusions: facts.exclusions.map((one) =>
      items.has(`exclusion:${one.id}`) ? { ...one, reviewed_by: one.actor } : one,
    ),
  }
}

test('as many items as to_pass says make a condition hold, and one fewer does not', () => {
  const isMet = (input: Judged, conditionId: string, changed: readonly string[]) => {
    const facts = repair(input.facts, new Set(changed))
    const after = judge({ ...input, facts, risks: [] }).conditions.find(({ id }) => id === conditionId)
    return after?.status !== 'CONDITION_STATUS_FAIL'
  }
  const property = fc.property(products, (input) => {
    const verdict = judge({ ...input, risks: [] })
    for (const { id, status, to_pass: needed } of verdict.conditions) {
      if (status !== 'CONDITION_STATUS_FAIL') continue
      const items = Object.keys(verdict.evidenceIdentities[id]!)
      expect([isMet(input, id, items.slice(0, needed)), isMet(input, id, items.slice(0, needed - 1))]).toEqual([
        true,
        false,
      ])
    }
  })
  fc.assert(property, fixedRuns)
})

test('facts in any order give the same judgement', () => {
  const property = fc.property(products, (input) => {
    const facts: GateFacts = {
      requirements: input.facts.requirements.toReversed(),
      tests: input.facts.tests.toReversed(),
      suspectLinks: input.facts.suspectLinks.toReversed(),
      issues: input.facts.issues.toReversed(),
      exclusions: input.facts.exclusions.toReversed(),
      incompleteRuns: input.facts.incompleteRuns.toReversed(),
      elsewhere: input.facts.elsewhere.toReversed(),
      isUnexposed: input.facts.isUnexposed,
    }
    expect(judge({ ...input, facts, risks: input.risks.toReversed() })).toEqual(judge(input))
  })
  fc.assert(property, fixedRuns)
})

/** What an agent can do to the labels of all that fails, each with the exclusion that the service records for it. */
const relabellings: readonly ((facts: GateFacts) => GateFacts)[] = [
  (facts) => ({ ...facts, tests: facts.tests.map((one) => ({ ...one, quarantined: true })) }),
  (facts) => ({ ...facts, tests: facts.tests.map((one) => ({ ...one, linked: false, linkedToImportant: false })) }),
  (facts) => ({ ...facts, tests: facts.tests.filter(({ newest }) => newest?.status === 'RESULT_STATUS_PASSED') }),
  (facts) => ({ ...facts, issues: facts.issues.map((one) => ({ ...one, status: 'ignored' })) }),
  (facts) => ({ ...facts, issues: facts.issues.map((one) => ({ ...one, status: 'resolved' })) }),
  (facts) => ({ ...facts, requirements: facts.requirements.filter(({ state }) => state === 'verified') }),
  (facts) => ({
    ...facts,
    requirements: facts.requirements.map((one) => ({ ...one, priority: 'PRIORITY_LOW', risk: 'RISK_LEVEL_LOW' })),
  }),
  (facts) => ({
    ...facts,
    suspectLinks: [],
    requirements: facts.requirements.map((one) => (one.suspect ? { ...one, state: 'verified', suspect: false } : one)),
  }),
]

test('relabelling by an agent does not turn FAIL into anything else', () => {
  const changes = fc.subarray([...relabellings], { minLength: 1 })
  const property = fc.property(products, changes, (input, chosen) => {
    const judged = { ...input, policy: defaultGatePolicy }
    if (judge(judged).status !== 'VERDICT_STATUS_FAIL') return
    const changed = chosen.reduce((facts, change) => change(facts), judged.facts)
    const facts = { ...changed, exclusions: [...changed.exclusions, exclusion({ id: 'relabelled' })] }
    expect(judge({ ...judged, facts }).status).toBe('VERDICT_STATUS_FAIL')
  })
  fc.assert(property, fixedRuns)
})
