import { counted } from '../../../../lib/counted.ts'
import { Priority, ResultStatus, RiskLevel } from '../../../../contract/base/common.ts'
import { LinkOrigin, LinkRole } from '../../../../contract/links.ts'
import { TestKind } from '../../../../contract/tests.ts'
import { requirementKey, testKey } from '../../../quality/keys.ts'
import { Criteria } from '../../../quality/requirements/columns.ts'
import { timestamp, timestampOrNull } from '../../../shared/times.ts'
import type { TruncationNotes } from '../../../shared/truncation-notes.ts'
import { readJson, readTexts } from '../../../sql/json.ts'
import { viewNamedTest } from '../../named-test.ts'
import { keepFitting } from '../../output-size.ts'
import { describeSince, type RequirementChange } from './changes.ts'
import type { CaseResult, Merged, StoredRequirement, StoredVersion, SuspectRow } from './read.ts'
import type { RequirementBody, SuspectLinkBody } from './schema.ts'

/** What the lists of one requirement may use of the output. */
const SHARES = { changes: 0.4, links: 0.5 }

export interface Details {
  versions: ReadonlyMap<string, readonly StoredVersion[]>
  merged: ReadonlyMap<string, readonly Merged[]>
  results: ReadonlyMap<string, readonly (CaseResult | undefined)[]>
}

/** A requirement with its suspect links, and what changed since each of them was made. */
export function viewRequirement(
  requirement: StoredRequirement,
  links: readonly SuspectRow[],
  { versions, merged, results }: Details,
  notes: TruncationNotes,
): RequirementBody {
  const { id, title, priority, risk, version } = requirement
  const history = { versions: versions.get(id) ?? [], merged: merged.get(id) ?? [] }
  const made = [...new Set(links.map((link) => link.requirement_version))].toSorted((one, other) => one - other)
  const changes = new Map(made.map((since) => [since, describeSince(since, requirement, history, notes)]))
  const changed = [...changes.values()].flatMap((change) => (change === undefined ? [] : [change.body]))
  const viewed = links
    .toSorted((one, other) => one.test_number - other.test_number)
    .map((link) => {
      const facts = { change: changes.get(link.requirement_version), results: results.get(link.test_id) ?? [] }
      return viewLink(link, requirement, facts)
    })
  return {
    id,
    key: requirementKey(requirement),
    title,
    priority: Priority.parse(priority),
    risk: RiskLevel.parse(risk),
    version,
    changes: keepFitting(notes, 'requirements.changes', changed, { share: SHARES.changes }),
    links: keepFitting(notes, 'requirements.links', viewed, { share: SHARES.links }),
  }
}

function viewLink(
  link: SuspectRow,
  requirement: StoredRequirement,
  { change, results }: { change: RequirementChange | undefined; results: readonly (CaseResult | undefined)[] },
): SuspectLinkBody {
  const ids = readTexts(link.criterion_ids)
  const criteria = readJson(Criteria, requirement.acceptance_criteria).flatMap(({ id }, index) =>
    ids.includes(id) ? [`${requirementKey(requirement)}.${String(index + 1)}`] : [],
  )
  const since = link.changed_at
  const facts: LinkFacts = {
    cause: findCause(link, change),
    isTouched: isTouched(change, ids),
    isNamedGone: ids.length > 0 && criteria.length === 0,
    counts: since === null ? null : countSince(results, since),
    onlyAdded: change?.onlyAdded ?? [],
  }
  return {
    test: {
      ...viewNamedTest({ ...link, id: link.test_id, number: link.test_number, title: link.test_title }),
      kind: TestKind.parse(link.test_kind),
    },
    role: LinkRole.parse(link.role),
    origin: LinkOrigin.parse(link.origin),
    requirement_version: link.requirement_version,
    suspect_since: timestampOrNull(since),
    cause: facts.cause,
    criteria,
    is_touched: facts.isTouched,
    last_result: viewNewest(results, since),
    results_since: facts.counts,
    advice: advise(facts),
    to_confirm: facts.isNamedGone
      ? null
      : toConfirm(link, criteria.length > 0 ? criteria : [requirementKey(requirement)]),
  }
}

function findCause(link: SuspectRow, change: RequirementChange | undefined): SuspectLinkBody['cause'] {
  if (change !== undefined) return 'WORDING_CHANGED'
  return link.origin === 'LINK_ORIGIN_ANNOTATION' ? 'ANNOTATION_GONE' : 'MADE_AGAIN'
}

/** Whether the change reaches what the link names: a link without criteria names the whole requirement. */
function isTouched(change: RequirementChange | undefined, criterionIds: readonly string[]): boolean {
  if (change === undefined) return false
  const { body, changedCriteria } = change
  if (body.title_changed || body.statement_changed) return true
  return criterionIds.length === 0 ? changedCriteria.size > 0 : criterionIds.some((id) => changedCriteria.has(id))
}

function countSince(results: readonly (CaseResult | undefined)[], since: number) {
  const counts = { passed: 0, failed: 0, not_run: 0 }
  for (const result of results) {
    if (result === undefined || result.at <= since) counts.not_run += 1
    else counts[outcome(result.status)] += 1
  }
  return counts
}

function outcome(status: string): 'passed' | 'failed' | 'not_run' {
  if (status === 'RESULT_STATUS_PASSED' || status === 'RESULT_STATUS_FLAKY') return 'passed'
  return status === 'RESULT_STATUS_FAILED' || status === 'RESULT_STATUS_ERROR' ? 'failed' : 'not_run'
}

function viewNewest(
  results: readonly (CaseResult | undefined)[],
  since: number | null,
): SuspectLinkBody['last_result'] {
  const newest = results.reduce((last, one) => (one !== undefined && one.at > (last?.at ?? 0) ? one : last), undefined)
  if (newest === undefined) return null
  const { status, at, commitSha } = newest
  return {
    status: ResultStatus.parse(status),
    executed_at: timestamp(at),
    commit_sha: commitSha,
    is_since_change: since !== null && at > since,
  }
}

interface LinkFacts {
  cause: SuspectLinkBody['cause']
  isTouched: boolean
  /** Every criterion that the link names is gone. */
  isNamedGone: boolean
  counts: SuspectLinkBody['results_since']
  onlyAdded: readonly string[]
}

const withoutChange = {
  ANNOTATION_GONE:
    'The test no longer names the requirement: put the key back into the test, or unlink it, or confirm it.',
  MADE_AGAIN: 'It was removed while in doubt and made again: read the test and confirm or unlink it.',
}

function advise({ cause, isTouched: touched, isNamedGone, counts, onlyAdded }: LinkFacts): SuspectLinkBody['advice'] {
  if (cause !== 'WORDING_CHANGED') return { action: 'READ', why: withoutChange[cause] }
  if (isNamedGone) {
    const why = 'The criteria that it names are gone: link the test to what it proves now, or unlink it.'
    return { action: 'READ', why }
  }
  if (counts !== null && counts.failed > 0)
    return { action: 'FIX', why: 'It has failed since the change: repair the test or the code first.' }
  if (!touched) return { action: 'CONFIRM', why: 'What the link names reads as it did when the link was made.' }
  if (onlyAdded.length > 0) return { action: 'READ', why: describeAddition(onlyAdded) }
  if (counts === null || counts.not_run > 0) {
    const why = 'It has not run in full since the change: read the test, adapt it to the new wording, and run it.'
    return { action: 'RUN', why }
  }
  return {
    action: 'READ',
    why: 'It has passed since the change, perhaps without testing it: compare it with the change.',
  }
}

function describeAddition(keys: readonly string[]): string {
  const [first = '', ...others] = keys
  const added =
    others.length === 0 ? first : `${first} and ${counted(others.length, 'other criterion', 'other criteria')}`
  return `Only ${added} ${others.length === 0 ? 'is' : 'are'} new: confirm the test for the criteria that it proves, and write tests for the others.`
}

/** What confirms the link, by keys: tools name cases by key, and no suites. */
function toConfirm({ test_number, test_kind }: SuspectRow, named: readonly string[]): SuspectLinkBody['to_confirm'] {
  if (test_kind !== 'TEST_KIND_CASE') return null
  return { test: testKey({ number: test_number }), requirement_ids: [...named] }
}
