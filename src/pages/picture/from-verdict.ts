import { counted } from '../../lib/counted.ts'
import type { ReceivedResult } from '../../client/api.ts'
import { Untrusted } from '../../contract/base/text.ts'
import type { ResultOf } from '../../contract/index.ts'
import { shortName } from '../../contract/quality-gate/short-name.ts'
import { toMinute } from '../../mcp/result/present.ts'
import { textForPeople } from '../../mcp/text/untrusted.ts'
import { shown } from './shown.ts'
import type {
  ConditionPicture,
  ExclusionPicture,
  GatePicture,
  ItemPicture,
  RiskPicture,
  Stated,
  UnvouchedPicture,
} from './types.ts'

type Verdict = ReceivedResult<ResultOf<'getGate'>>['verdict']
type Condition = NonNullable<Verdict['conditions']>[number]
type Evidence = NonNullable<Condition['evidence']>[number]
type Risk = NonNullable<Verdict['risks']>[number]
type Exclusion = NonNullable<Verdict['exclusions']>[number]

const TITLE_CHARACTERS = 200

/** A verdict of any deployment as a picture; what the deployment leaves out is not stated. `scope` says what was judged. */
export function verdictPicture(verdict: Verdict, about: { product: string | undefined; scope: string }): GatePicture {
  const ending = new Set((verdict.risks_ending ?? []).map(({ risk_id: id }) => id))
  return {
    product: shown(about.product),
    scope: about.scope,
    status: withoutKind(verdict.status),
    reason: shown(verdict.status_reason),
    settledBy: shown(verdict.settled_by),
    computedAt: shownTime(verdict.computed_at),
    isStale: verdict.stale === true,
    conditions: stated(verdict.conditions, conditionPicture),
    risks: stated(verdict.risks, (risk) => riskPicture(risk, ending.has(risk.id))),
    exclusions: stated(verdict.exclusions, exclusionPicture),
    exclusionsTotal: verdict.exclusions_total,
    exclusionsUnreviewed: verdict.exclusions_unreviewed,
    unvouched: unvouchedPicture(verdict.unvouched),
    incompleteRuns: stated(verdict.incomplete_runs, runSentence),
    history: stated(verdict.history, ({ status, computed_at: at }) => ({
      status: withoutKind(status) ?? 'not stated',
      computedAt: shownTime(at) ?? 'at a time that is not stated',
    })),
    notes: notes(verdict),
  }
}

function stated<T, P>(list: readonly T[] | undefined, picture: (one: T) => P): Stated<P> {
  return list === undefined ? null : list.map(picture)
}

function conditionPicture(condition: Condition): ConditionPicture {
  const { id, title, severity, threshold, comparator, metric, actual } = condition
  const sign = comparator === 'COMPARATOR_GTE' ? 'at least' : comparator === 'COMPARATOR_LTE' ? 'at most' : ''
  const isShare = metric !== undefined && shares.has(metric)
  return {
    id,
    title: shown(title) ?? id,
    status: withoutKind(condition.status),
    isBlocking: severity === undefined ? undefined : withoutKind(severity) === 'BLOCKING',
    limit: threshold === undefined ? undefined : `${sign} ${number(threshold, isShare)}`.trim(),
    actual: actual === undefined ? undefined : number(actual, isShare),
    message: shown(condition.message),
    toPass: condition.to_pass,
    items: (condition.evidence ?? []).map(itemPicture),
    total: condition.evidence_total,
  }
}

/** Metrics that are a share from 0 to 1 (contract §7). */
const shares: ReadonlySet<string> = new Set(['critical_coverage', 'overall_coverage', 'flaky_ratio'])

/** Rounded down, so that 99.96 % is never shown as 100 %. */
function number(value: number, isShare: boolean): string {
  return isShare ? `${String(Math.floor(value * 1000 + 1e-9) / 10)} %` : String(value)
}

function itemPicture(item: Evidence): ItemPicture {
  const { id, key, title, state, because, since } = item
  const isOutside = title instanceof Untrusted
  return {
    key: shown(key === undefined || key === '' ? id : key) ?? '',
    title: title instanceof Untrusted ? textForPeople(title, TITLE_CHARACTERS) : shown(title),
    isOutside,
    state: shown(state),
    because: shown(because),
    since: shownTime(since),
    isNew: item.new === true,
  }
}

function riskPicture(risk: Risk, endsSoon: boolean): RiskPicture {
  return {
    conditions: risk.condition_ids === undefined ? 'not stated' : risk.condition_ids.join(', ') || 'the listed items',
    state: withoutKind(risk.state) ?? 'not stated',
    acceptedBy: shown(risk.accepted_by?.display_name),
    approvedBy: shown(risk.approved_by?.display_name),
    until: shownTime(risk.expires_at),
    endsSoon,
    reason: shown(risk.reason),
  }
}

function exclusionPicture(exclusion: Exclusion): ExclusionPicture {
  const { id, item, kind, actor, by_agent: byAgent, at, reviewed_by: reviewer, reason } = exclusion
  return {
    key: shown(item?.key || item?.id || id) ?? '',
    kind: kind ?? 'not stated',
    by: shown(actor?.display_name),
    byAgent,
    at: shownTime(at),
    reviewedBy: shown(reviewer?.display_name),
    reason: shown(reason),
  }
}

function unvouchedPicture(unvouched: Verdict['unvouched']): UnvouchedPicture | null {
  if (unvouched === undefined) return null
  const counts = (
    [
      ['new', unvouched.new_issues],
      ['regressed', unvouched.regressed_issues],
      ['reopened', unvouched.reopened_issues],
    ] as const
  ).flatMap(([word, count]) => (count === undefined || count === 0 ? [] : [`${String(count)} ${word}`]))
  return { counts: counts.join(', '), items: (unvouched.evidence ?? []).map(itemPicture) }
}

function runSentence({ run_key: key, received, expected, missing }: NonNullable<Verdict['incomplete_runs']>[number]) {
  const shards = missing === undefined || missing.length === 0 ? '' : `; missing: ${missing.join(', ')}`
  return `Run ${textForPeople(key, 80) || 'of unknown name'}: ${count(received)} of ${count(expected)} shards${shards}.`
}

function count(value: number | undefined): string {
  return value === undefined ? 'an unstated number' : String(value)
}

/** What the lists of the picture do not show by themselves. */
function notes({ results, risks_ended: ended = [] }: Verdict): string[] {
  const carried = results?.carried ?? 0
  return [
    ...(ended.length === 0 ? [] : [`${counted(ended.length, 'accepted risk')} ended since the previous verdict.`]),
    ...(carried === 0 ? [] : [`${counted(carried, 'result')} of other commits, which prove nothing for this one.`]),
  ]
}

function withoutKind(value: string | undefined): string | undefined {
  return value === undefined ? undefined : shortName(value)
}

/** A time to the minute, in UTC. */
function shownTime(time: string | null | undefined): string | undefined {
  return toMinute(time)?.replace('T', ' ').replace('Z', ' UTC')
}
