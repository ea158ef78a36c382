import * as z from 'zod'
import type { ReceivedResult } from '../../../src/client/api.ts'
import { Untrusted } from '../../../src/contract/base/text.ts'
import type { ResultOf } from '../../../src/contract/index.ts'
import { Risk } from '../../../src/contract/quality-gate/risks.ts'
import { shortName } from '../../../src/contract/quality-gate/short-name.ts'
import { Exclusion, VerdictCondition } from '../../../src/contract/quality-gate/verdict.ts'
import { counted } from '../../../src/lib/counted.ts'
import { counts, fields, flag, pick, rows, teamLine, upTo } from '../../../src/mcp/result/output.ts'
import { sentencesOffered } from '../../../src/mcp/surface/naming.ts'
import { quoted, type BlockContent } from '../../../src/mcp/text/untrusted.ts'
import { keyOrId, listed, rowTitle } from '../columns.ts'

export type Verdict = ReceivedResult<ResultOf<'getGate'>>['verdict']
type Condition = NonNullable<Verdict['conditions']>[number]
type Evidence = NonNullable<Condition['evidence']>[number]

/** A verdict as the tools of the gate show it. */
export const verdictOutput = fields({
  verdict: fields({ id: z.string().optional(), status: z.string(), computed_at: z.iso.datetime(), stale: flag }),
  conditions: rows({
    ...pick(VerdictCondition, 'id', 'severity', 'status', 'message', 'to_pass'),
    new: z.int(),
    items: z.string(),
  }),
  passed: z.string(),
  items: rows({
    id: z.string(),
    state: z.string(),
    new: flag,
    since: z.iso.datetime(),
    because: z.string(),
    title: rowTitle,
  }),
  risks: rows({
    ...pick(Risk, 'id', 'state', 'expires_at'),
    conditions: z.string(),
    accepted_by: teamLine,
    approved_by: teamLine,
    reason: upTo(teamLine, 160),
  }),
  exclusions: rows({
    id: z.string(),
    ...pick(Exclusion, 'kind', 'at'),
    by: teamLine,
    agent: flag,
    reviewed_by: teamLine,
    reason: upTo(teamLine, 120),
  }),
  unvouched: fields(counts('new_issues', 'regressed_issues', 'reopened_issues')),
  page: z.string(),
})

/** What to shorten first when a verdict is too big. */
export const verdictCuts = [
  { path: 'exclusions', least: 5 },
  { path: 'items', least: 5 },
  { path: 'risks', least: 3 },
] as const

/** Who wrote the titles of failing items. */
export const itemTitles = {
  source: 'error event or test report',
  writableBy: 'anyone with the public DSN, or whoever wrote or ran the tests',
} as const

export interface ShowOptions {
  /** Only items that were not in the verdict before, and those where the deployment does not say. */
  onlyNew?: boolean
}

/**
 * The facts of a verdict, and the titles that outsiders may have written. Items are those of the blocking conditions; the
 * others are in rows only when nothing blocks.
 */
export function showVerdict(verdict: Verdict, { onlyNew = false }: ShowOptions = {}) {
  const { conditions = [], risks = [], exclusions = [], unvouched } = verdict
  const open = conditions.filter(({ status }) => status !== 'CONDITION_STATUS_PASS')
  const shownItems = (condition: Condition) =>
    (condition.evidence ?? []).filter((item) => !onlyNew || item.new !== false)
  const blocking = open.filter(({ severity }) => severity !== 'CONDITION_SEVERITY_ADVISORY')
  const items = distinct((blocking.some(isOpen) ? blocking : open).flatMap(shownItems))
  const isAllNew = items.every((item) => item.new === true)
  const isSameTime = new Set(items.map(({ since }) => since)).size === 1
  return {
    data: {
      verdict: { ...verdict, id: verdict.id === '' ? undefined : verdict.id, status: statusWord(verdict.status) },
      conditions: open.map((condition) => ({
        ...condition,
        to_pass: condition.to_pass === 0 ? undefined : condition.to_pass,
        new: condition.new_total === 0 ? undefined : condition.new_total,
        items: itemList(shownItems(condition), condition, onlyNew),
      })),
      passed: listed(conditions.filter(({ status }) => status === 'CONDITION_STATUS_PASS').map(({ id }) => id)),
      items: items.map((item) => ({
        id: keyOrId(item),
        state: item.state?.replace(/^(?:RESULT_STATUS|LINK_STATE)_/, '').toLowerCase(),
        new: isAllNew ? undefined : item.new,
        since: item.new === true || isSameTime ? undefined : (item.since ?? undefined),
        because: item.because,
        title: item.title instanceof Untrusted ? undefined : item.title,
      })),
      risks: risks.map((risk) => ({
        ...risk,
        conditions: listed(risk.condition_ids ?? []),
        accepted_by: risk.accepted_by?.display_name,
        approved_by: risk.approved_by?.display_name,
      })),
      exclusions: exclusions.map(({ item, actor, by_agent: agent, reviewed_by: reviewer, ...exclusion }) => ({
        ...exclusion,
        id: item === undefined ? exclusion.id : keyOrId(item),
        by: actor?.display_name,
        agent,
        reviewed_by: reviewer?.display_name,
      })),
      unvouched: unvouched && {
        new_issues: unvouched.new_issues || undefined,
        regressed_issues: unvouched.regressed_issues || undefined,
        reopened_issues: unvouched.reopened_issues || undefined,
      },
    },
    content: {
      items: items.flatMap((item): BlockContent[] =>
        item.title instanceof Untrusted ? [{ id: keyOrId(item), title: quoted`${item.title}`.cut(120) }] : [],
      ),
    },
  }
}

/** Whether it lists something that must change. */
function isOpen({ status, evidence = [] }: Condition): boolean {
  return status === 'CONDITION_STATUS_FAIL' && evidence.length > 0
}

/** Items by their keys, each once. */
function distinct(items: readonly Evidence[]): Evidence[] {
  return [...new Map(items.map((item) => [keyOrId(item), item])).values()]
}

function itemList(
  shown: readonly Evidence[],
  { evidence_total: total, new_total: added }: Condition,
  onlyNew: boolean,
) {
  const all = onlyNew ? added : total
  const more = all === undefined || all <= shown.length ? '' : ` and ${String(all - shown.length)} more`
  return shown.length === 0 ? undefined : shown.map(keyOrId).join(', ') + more
}

/** `PASS_WITH_RISK`; "not stated" where the deployment does not say. */
export function statusWord(status: string | undefined): string {
  return status === undefined ? 'not stated' : shortName(status)
}

/**
 * The first line of a verdict: its status and reason, its age where it was read, and everything that a decision must not
 * overlook.
 */
export function verdictSentence(verdict: Verdict, { scope, age }: { scope: string; age?: string | undefined }): string {
  const { status_reason: reason, settled_by: settledBy, stale, unvouched, exclusions_unreviewed: unreviewed } = verdict
  const apart =
    unvouched === undefined
      ? 0
      : Object.values(unvouched).reduce<number>((sum, one) => sum + (typeof one === 'number' ? one : 0), 0)
  return [
    `${statusWord(verdict.status)}${scope}${age === undefined ? '' : ` (${age})`}: ${reason ?? 'the reason is not stated'}`,
    settledBy === '' ? undefined : settledBy,
    stale === true ? 'Stale: requirements, tests, results or issues have changed since.' : undefined,
    ...(verdict.incomplete_runs ?? []).map(
      ({ received, expected, missing = [] }) =>
        `A test run has ${String(received ?? 'some')} of ${String(expected ?? 'more')} shards${missing.length === 0 ? '' : `; missing: ${missing.join(', ')}`}.`,
    ),
    unreviewed === undefined || unreviewed === 0
      ? undefined
      : `${counted(unreviewed, 'exclusion')} by agents not reviewed by a person, who can run tracegate review.`,
    apart === 0
      ? undefined
      : `${counted(apart, 'issue')} known only from events with a public key cannot fail the gate.`,
    endingSentence(verdict),
  ]
    .filter((sentence) => sentence !== undefined)
    .join(' ')
}

function endingSentence({ risks_ending: ending = [], risks_ended: ended = [] }: Verdict): string | undefined {
  const parts = [
    ending.length === 0 ? '' : `${counted(ending.length, 'accepted risk ends', 'accepted risks end')} within 7 days`,
    ended.length === 0 ? '' : `${counted(ended.length, 'accepted risk')} ended since the previous verdict`,
  ].filter(Boolean)
  return parts.length === 0 ? undefined : `${parts.join('; ')}.`
}

/** What to do about accepted risks that wait; a sentence with a tool that is not offered is left out. */
export function pendingSentence(
  { pending_risk_ids: pending = [] }: Verdict,
  offers: (tool: string) => boolean,
): string {
  if (pending.length === 0) return ''
  const how =
    'A second person approves a risk with tracegate approve in a terminal. approve_gate_risk gives them a page.'
  return sentencesOffered(how, offers)
}

/** `computed 14 min ago`, by this machine's clock. */
export function ageWords(computedAt: string | undefined, now: number): string | undefined {
  const at = Date.parse(computedAt ?? '')
  if (Number.isNaN(at)) return undefined
  const minutes = Math.max(0, Math.round((now - at) / 60_000))
  if (minutes < 1) return 'computed just now'
  if (minutes < 120) return `computed ${String(minutes)} min ago`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `computed ${String(hours)} h ago` : `computed ${String(Math.round(hours / 24))} days ago`
}
