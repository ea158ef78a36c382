import { isAddition, linkItem as linkId } from '../../workspace/exclusions.ts'
import {
  isImportant,
  type EvidenceItem,
  type ExclusionFact,
  type IssueFact,
  type LinkFact,
  type RequirementFact,
  type TestFact,
} from '../facts.ts'

/** An item that a condition lists, with its place in the order from cheap to expensive to fix. */
export interface CostedItem {
  item: EvidenceItem
  cost: number
}

/** Not run before failing before no test (contract §7). */
export function requirementItem(fact: RequirementFact): CostedItem {
  const { id, key, title, state, failing } = fact
  const why = `${importance(fact)}${whyUnverified(fact)}`
  return {
    item: { type: 'requirement', id, key, title, state, because: why },
    cost: state === 'no_test' ? 2 : failing ? 1 : 0,
  }
}

function importance(fact: RequirementFact): string {
  if (!isImportant(fact)) return ''
  const [priority, risk] = [lower(fact.priority, 'PRIORITY_'), lower(fact.risk, 'RISK_LEVEL_')]
  return `Priority ${priority}, risk ${risk}. `
}

function whyUnverified({ state, failing, suspect }: RequirementFact): string {
  if (state === 'no_test') return 'No test is linked to it.'
  if (failing) return 'A linked test fails.'
  if (suspect) return 'It changed after its tests were linked.'
  return 'Not every linked test has a current passing result, or a criterion has no test.'
}

export function failingItem(test: TestFact): CostedItem {
  const status = test.newest?.status ?? ''
  return testItem(
    test,
    `Its newest result in this scope is ${failureWords[status] ?? lower(status, 'RESULT_STATUS_')}.`,
  )
}

const failureWords: Readonly<Record<string, string>> = {
  RESULT_STATUS_FAILED: 'a failure',
  RESULT_STATUS_ERROR: 'an error',
}

export function staleItem(test: TestFact): CostedItem {
  return testItem(test, whyStale(test), test.newest === undefined ? 1 : 0)
}

function whyStale({ newest }: TestFact): string {
  if (newest === undefined) return 'It is linked to a requirement and has no result in this scope.'
  if (newest.carried) return 'Its newest result is of another commit.'
  return `Its newest result, of ${day(newest.at)}, is too old to count.`
}

export function flakyItem(test: TestFact): CostedItem {
  return testItem(test, `${String(test.flakyRuns)} of its ${String(test.runs)} runs in the last 30 days were flaky.`)
}

export function quarantinedItem(test: TestFact): CostedItem {
  return testItem(test, 'It is quarantined and linked to a requirement of critical or high priority or risk.')
}

function testItem({ id, key, title, newest }: TestFact, because: string, cost = 0): CostedItem {
  return { item: { type: 'test', id, key, title, state: newest?.status ?? '', because }, cost }
}

export function newIssueItem(issue: IssueFact): CostedItem {
  return issueItem(issue, `First seen in this scope at level ${issue.level}; ${voucher(issue)}${stillFiring(issue)}.`)
}

export function regressedIssueItem(issue: IssueFact): CostedItem {
  return issueItem(issue, `It came back after it was resolved; ${voucher(issue)}${stillFiring(issue)}.`)
}

/** An issue that fails no condition, because nothing but events with a public key speaks of it. */
export function unvouchedItem(issue: IssueFact): CostedItem {
  const what = issue.reopenedUnvouched
    ? 'A member closed it, and it was reopened'
    : issue.isRegressedUnvouched
      ? 'It came back after it was resolved, but'
      : 'First seen in this scope, but'
  return issueItem(issue, `${what} only by events with a public key.`)
}

function voucher({ vouchedBy }: IssueFact): string {
  return vouchedBy === 'server_key' ? 'an event with a server key vouches for it' : 'a member vouches for it'
}

function stillFiring({ stillFiring: fires, status }: IssueFact): string {
  return fires && status === 'resolved' ? ', and releases with the fix still report it' : ''
}

function issueItem({ id, key, title, status }: IssueFact, because: string): CostedItem {
  return { item: { type: 'issue', id, key, title, state: status, because }, cost: 0 }
}

export function linkItem({ testId, requirementId, key, title }: LinkFact): CostedItem {
  const because = 'The requirement changed after the test was linked to it.'
  return {
    item: { type: 'link', id: linkId(testId, requirementId), key, title, state: 'LINK_STATE_SUSPECT', because },
    cost: 0,
  }
}

export function exclusionItem({ id, kind, item, at }: ExclusionFact): CostedItem {
  const rerun = isAddition(kind) ? ' Run the test again and send its report, or let a person review it.' : ''
  const because = `An agent ${acts[kind]} on ${at.slice(0, 10)}; no person has reviewed it.${rerun}`
  return { item: { type: 'exclusion', id, key: item.key, title: item.title, state: kind, because }, cost: 0 }
}

/** What an agent did, by kind of exclusion. */
const acts: Readonly<Record<ExclusionFact['kind'], string>> = {
  quarantined: 'quarantined the test',
  issue_ignored: 'ignored the issue',
  issue_resolved: 'resolved the issue',
  requirement_deprecated: 'deprecated the requirement',
  requirement_unapproved: 'withdrew the approval of the requirement',
  requirement_lowered: 'lowered the priority or risk of the requirement',
  requirement_not_normative: 'made the requirement informative',
  requirement_deleted: 'deleted the requirement',
  minor_change: 'changed the requirement without making its links suspect',
  link_removed: 'removed the link',
  link_confirmed: 'confirmed the suspect link',
  link_added: 'added the link after the test had passed',
  test_deprecated: 'deprecated the test',
  test_deleted: 'deleted the test',
  test_restored: 'brought the test back after it had passed',
  environment_deleted: 'deleted the environment, with the issues that occurred in it',
  environment_lowered: 'gave the environment a kind in which issues are not new',
}

function lower(value: string, prefix: string): string {
  return value.slice(prefix.length).toLowerCase()
}

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
