import type * as z from 'zod'
import type { Metric } from '../../../contract/quality-gate/policy.ts'
import { counted as many } from '../../../lib/counted.ts'
import { isImportant, type GateFacts, type RequirementFact } from '../facts.ts'
import type { Counted } from './bounds.ts'
import {
  isCurrent,
  isFailing,
  isNewIssue,
  isRegressedIssue,
  isSevere,
  isVouched,
  provesSomething,
  selectUnreviewed,
} from './counting.ts'
import * as items from './items.ts'

export interface Measure extends Counted {
  items: readonly items.CostedItem[]
}

interface MetricRule {
  title: string
  /** The condition is not evaluated with a smaller sample, whatever the policy's `min_sample`. */
  leastSample: 0 | 1
  /** What the sample consists of, for a condition that lacks it. */
  sampled: readonly [one: string, many: string]
  /** The sample consists of requirements, among which drafts count only if the policy includes them. */
  samplesRequirements?: true
  measure(facts: GateFacts): Measure
  /** What was counted, as a clause without a full stop. */
  says(measure: Counted): string
}

/** What each metric counts (contract §7). */
export const metrics: Readonly<Record<z.output<typeof Metric>, MetricRule>> = {
  critical_coverage: {
    title: 'Critical and high requirements verified',
    leastSample: 1,
    sampled: ['requirement of critical or high priority or risk', 'requirements of critical or high priority or risk'],
    samplesRequirements: true,
    measure: (facts) => coverage(facts.requirements.filter(isImportant)),
    says: ({ counted, sample }) =>
      `${part(counted, sample, 'requirement')} of critical or high priority or risk ${be(counted)} verified`,
  },
  overall_coverage: {
    title: 'Requirements verified',
    leastSample: 1,
    sampled: ['requirement', 'requirements'],
    samplesRequirements: true,
    measure: (facts) => coverage(facts.requirements),
    says: ({ counted, sample }) => `${part(counted, sample, 'requirement')} ${be(counted)} verified`,
  },
  failing_tests: {
    title: 'Failing tests',
    leastSample: 1,
    sampled: ['test with a result that counts', 'tests with a result that counts'],
    measure: ({ tests }) => {
      const ran = tests.filter((test) => isFailing(test) || provesSomething(test))
      return count(ran.length, tests.filter(isFailing).map(items.failingItem))
    },
    says: ({ counted, sample }) => `${part(counted, sample, 'test')} ${counted === 1 ? 'fails' : 'fail'}`,
  },
  new_issues: {
    title: 'New issues',
    leastSample: 0,
    sampled: ['vouched issue of level fatal or error', 'vouched issues of level fatal or error'],
    measure: ({ issues }) =>
      count(
        issues.filter((issue) => isVouched(issue) && isSevere(issue)).length,
        issues.filter(isNewIssue).map(items.newIssueItem),
      ),
    says: ({ counted }) => `${many(counted, 'new issue')} of level fatal or error ${be(counted)} open`,
  },
  regressed_issues: {
    title: 'Regressed issues',
    leastSample: 0,
    sampled: ['vouched issue', 'vouched issues'],
    measure: ({ issues }) =>
      count(issues.filter(isVouched).length, issues.filter(isRegressedIssue).map(items.regressedIssueItem)),
    says: ({ counted }) => `${many(counted, 'regressed issue')} ${be(counted)} open`,
  },
  suspect_links: {
    title: 'Suspect links',
    leastSample: 0,
    sampled: ['suspect link', 'suspect links'],
    measure: ({ suspectLinks }) => count(suspectLinks.length, suspectLinks.map(items.linkItem)),
    says: ({ counted }) => `${many(counted, 'link')} between a test and a requirement ${be(counted)} suspect`,
  },
  stale_results: {
    title: 'Missing and outdated results',
    leastSample: 0,
    sampled: ['linked test', 'linked tests'],
    measure: ({ tests }) => {
      const linked = tests.filter((test) => test.linked)
      const stale = linked.filter(({ newest }) => newest === undefined || !isCurrent(newest))
      return count(linked.length, stale.map(items.staleItem))
    },
    says: ({ counted, sample }) =>
      `${part(counted, sample, 'linked test')} ${counted === 1 ? 'has' : 'have'} no current result`,
  },
  flaky_ratio: {
    title: 'Flaky tests',
    leastSample: 1,
    sampled: ['test that ran in the last 30 days', 'tests that ran in the last 30 days'],
    measure: ({ tests }) => {
      const ran = tests.filter(({ runs }) => runs > 0)
      return { ...count(ran.length, ran.filter(({ flakyRuns }) => flakyRuns > 0).map(items.flakyItem)), isShare: true }
    },
    says: ({ counted, sample }) =>
      `${part(counted, sample, 'test')} that ran in the last 30 days ${counted === 1 ? 'was' : 'were'} flaky`,
  },
  quarantined_tests: {
    title: 'Quarantined tests of critical and high requirements',
    leastSample: 0,
    sampled: ['test of a critical or high requirement', 'tests of critical or high requirements'],
    measure: ({ tests }) => {
      const important = tests.filter(({ linkedToImportant }) => linkedToImportant)
      return count(important.length, important.filter(({ quarantined }) => quarantined).map(items.quarantinedItem))
    },
    says: ({ counted, sample }) =>
      `${part(counted, sample, 'test')} of critical or high requirements ${be(counted)} quarantined`,
  },
  unreviewed_exclusions: {
    title: 'Exclusions by agents without a review',
    leastSample: 0,
    sampled: ['exclusion', 'exclusions'],
    measure: ({ exclusions, issues }) =>
      count(exclusions.length, selectUnreviewed(exclusions, issues).map(items.exclusionItem)),
    says: ({ counted }) =>
      `${many(counted, 'exclusion')} by agents ${counted === 1 ? 'has' : 'have'} no review by a person`,
  },
}

function coverage(requirements: readonly RequirementFact[]): Measure {
  const open = requirements.filter(({ state }) => state !== 'verified')
  const verified = requirements.length - open.length
  return { counted: verified, sample: requirements.length, isShare: true, items: open.map(items.requirementItem) }
}

function count(sample: number, found: readonly items.CostedItem[]): Measure {
  return { counted: found.length, sample, isShare: false, items: found }
}

function part(counted: number, sample: number, one: string): string {
  return `${String(counted)} of ${many(sample, one)}`
}

function be(count: number): string {
  return count === 1 ? 'is' : 'are'
}
