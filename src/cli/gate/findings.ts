import { counted } from '../../lib/counted.ts'
import type { ReceivedResult } from '../../client/api.ts'
import { Untrusted } from '../../contract/base/text.ts'
import type { ResultOf } from '../../contract/index.ts'
import { shortName } from '../../contract/quality-gate/short-name.ts'
import { textForPeople } from '../../mcp/text/untrusted.ts'
import { safeText } from '../../mcp/text/safe-text.ts'

export type Verdict = ReceivedResult<ResultOf<'getGate'>>['verdict']
type Condition = NonNullable<Verdict['conditions']>[number]
type Item = NonNullable<Condition['evidence']>[number]

/** A failing item in words: every text is one line, and titles are outsiders' text that each format escapes. */
export interface FindingItem {
  /** REQ-12, TC-7, SHOP-31; the id where the deployment has no key. */
  key: string
  title: string
  because: string
  isNew: boolean
}

/** A condition as a format prints it. */
export interface ConditionFinding {
  id: string
  title: string
  message: string
  /** Without its prefix; "not stated" where the deployment does not say. */
  status: string
  isBlocking: boolean
  items: FindingItem[]
  total: number | undefined
  toPass: number | undefined
}

/** What every format of a verdict is made from. */
export interface GateReport {
  product: string
  status: string
  reason: string
  settledBy: string
  /** What was judged, such as "release 1.4.1, commit 3f2a91c". */
  scope: string
  conditions: ConditionFinding[]
  /** Lines about risks, exclusions, unvouched issues and incomplete runs. */
  notes: string[]
  /** Why the exit code is not that of the status; empty if it is. */
  allowance: string
  verdictId: string
  digest: string
}

const TITLE_CHARACTERS = 120

/** The failing, waived and unjudged conditions first, in the order of the verdict; those that pass last. */
export function conditionFindings({ conditions = [] }: Verdict): ConditionFinding[] {
  const found = conditions.map((condition) => ({
    id: condition.id,
    title: condition.title ?? condition.id,
    message: condition.message ?? '',
    status: statedName(condition.status),
    isBlocking: statedName(condition.severity) === 'BLOCKING',
    items: (condition.evidence ?? []).map(findingItem),
    total: condition.evidence_total,
    toPass: condition.to_pass,
  }))
  const place = ({ status, isBlocking }: ConditionFinding) =>
    (status === 'FAIL' ? 0 : status === 'WAIVED' ? 2 : status === 'NOT_EVALUATED' ? 4 : 6) + (isBlocking ? 0 : 1)
  return found.toSorted((one, other) => place(one) - place(other))
}

function findingItem(item: Item): FindingItem {
  return {
    key: item.key === undefined || item.key === '' ? item.id : item.key,
    title: plainTitle(item.title),
    because: item.because ?? '',
    isNew: item.new === true,
  }
}

function plainTitle(title: string | Untrusted<string> | undefined): string {
  return textForPeople(title instanceof Untrusted ? title : new Untrusted(title ?? ''), TITLE_CHARACTERS)
}

/** `FAIL` of `CONDITION_STATUS_FAIL`; "not stated" where the deployment does not say. */
export function statedName(value: string | undefined): string {
  return value === undefined ? 'not stated' : shortName(value)
}

/** What people should know of a verdict besides its conditions, one line each. */
export function verdictNotes(verdict: Verdict): string[] {
  return [...riskNotes(verdict), ...exclusionNotes(verdict), ...evidenceNotes(verdict)]
}

function riskNotes({ risks = [], risks_ending: ending = [], risks_ended: ended = [] }: Verdict): string[] {
  const end = new Map(ending.map(({ risk_id: id, expires_at: at }) => [id, at]))
  return [
    ...risks.map((risk) => {
      const [accepted, approved] = [risk.accepted_by?.display_name, risk.approved_by?.display_name]
      const state = approved === undefined ? 'waits for the approval of a second person' : `approved by ${approved}`
      const until = end.has(risk.id) ? `, ends soon: ${risk.expires_at ?? ''}` : ''
      return oneLine(
        `accepted risk (${(risk.condition_ids ?? []).join(', ')}) by ${accepted ?? 'not stated'}, ${state}${until}: ${risk.reason ?? ''}`,
      )
    }),
    ...(ended.length === 0 ? [] : [`${counted(ended.length, 'accepted risk')} ended since the previous verdict`]),
  ]
}

function exclusionNotes(verdict: Verdict): string[] {
  const { exclusions = [], exclusions_total: total, exclusions_unreviewed: unreviewed } = verdict
  if (total === undefined || total === 0) return []
  const shown = exclusions
    .slice(0, 10)
    .map(
      ({ kind, item, actor, reason, reviewed_by: reviewer }) =>
        `${item?.key ?? 'not stated'} ${String(kind)} by ${actor?.display_name ?? 'not stated'}${reviewer ? '' : ', not reviewed by a person'}${reason ? `: ${reason}` : ''}`,
    )
  return [
    `${String(total)} excluded without an accepted risk, ${String(unreviewed ?? 'not stated')} not reviewed by a person${unreviewed === 0 ? '' : '; to review: tracegate review'}`,
    ...shown.map((line) => `  ${oneLine(line)}`),
  ]
}

function evidenceNotes({ unvouched, incomplete_runs: runs = [], results }: Verdict): string[] {
  const count = (unvouched?.new_issues ?? 0) + (unvouched?.regressed_issues ?? 0) + (unvouched?.reopened_issues ?? 0)
  return [
    ...(count === 0
      ? []
      : [`${counted(count, 'issue')} known only from events with a public key, which cannot fail the gate`]),
    ...runs.map(
      ({ received, expected, missing = [] }) =>
        `a test run has ${String(received ?? '?')} of ${String(expected ?? '?')} shards; missing: ${missing.join(', ')}`,
    ),
    ...(results?.carried === undefined || results.carried === 0
      ? []
      : [`${counted(results.carried, 'result')} of other commits, which prove nothing for this one`]),
  ]
}

/** Members' text in one line, without secrets and control characters. */
export function oneLine(text: string): string {
  return safeText(text).text.replace(/\s+/g, ' ').trim()
}
