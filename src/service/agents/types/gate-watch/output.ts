import * as z from 'zod'
import { Hash, Id, Key, NamedRef, Sentence, Timestamp } from '../../../../contract/base/common.ts'
import { untrusted } from '../../../../contract/base/text.ts'
import { ConditionSeverity, VerdictStatus } from '../../../../contract/quality-gate/policy.ts'
import { EvidenceType, RiskState } from '../../../../contract/quality-gate/risks.ts'
import { ConditionStatus } from '../../../../contract/quality-gate/verdict.ts'
import { shortName } from '../../../../contract/quality-gate/short-name.ts'
import { EndingRisk } from '../../ending-risk.ts'
import { ActionWord } from './actions.ts'
import { plainWords } from './plain-words.ts'

/** As get_quality_gate shows them: PASS of a verdict, pass of a condition. */
export const VerdictWord = z.enum(VerdictStatus.options.map(shortName))
export const ConditionWord = plainWords(ConditionStatus)
const SeverityWord = plainWords(ConditionSeverity)

/** An item of evidence by its names. */
const identified = {
  type: EvidenceType,
  id: Id.optional().describe('Absent for a link, which `key` names.'),
  key: Key.describe('REQ-12, TC-7, SHOP-31; of a link TC-7 > REQ-12.'),
  title: untrusted(z.string()),
}
const item = { ...identified, state: Key, because: Sentence }

const condition = { condition_id: Key, severity: SeverityWord }

/** What a run of gate_watch found; the next run compares with it. */
export const GateWatchOutput = z.object({
  checked_at: Timestamp,
  scope: z.object({
    name: untrusted(z.string()).describe('`release 1.4.1, environment staging`, or `the whole product`.'),
    release: NamedRef.nullable(),
    environment: NamedRef.nullable(),
    commit_sha: Hash,
    git_branch: untrusted(z.string()),
  }),
  verdict: z.object({
    id: Id,
    status: VerdictWord,
    status_reason: Sentence,
    settled_by: Sentence.describe('INCONCLUSIVE: the one fact that would settle it, and how to send it; else empty.'),
    computed_at: Timestamp,
    stale: z.boolean().describe('Its inputs have changed since; only without recompute.'),
    failed_blocking: z.int(),
    failed_advisory: z.int(),
  }),
  is_new_verdict: z.boolean().describe('This run stored it: the evidence differs from that of the verdict before.'),
  compared_with: z
    .object({ source: z.enum(['last_run', 'previous_verdict']), at: Timestamp, status: VerdictWord })
    .nullable()
    .describe(
      'What `changes` and `newly_failing` compare with; null and both empty at the first verdict of the scope.',
    ),
  changes: z.array(z.object({ condition_id: Key, from: ConditionWord, to: ConditionWord })),
  newly_failing: z.array(z.object({ ...condition, ...item, since: Timestamp.nullable() })),
  newly_failing_total: z.int(),
  improved: z
    .array(
      z.object({
        condition_id: Key,
        ...identified,
        from: Key,
        to: Key.nullable().describe('The state now; null: it no longer fails.'),
      }),
    )
    .describe('Of the items that the verdict of `compared_with` lists, those that no longer fail or have a test now.'),
  conditions: z.array(
    z.object({
      id: Key,
      status: ConditionWord,
      severity: SeverityWord,
      message: Sentence,
      evidence_total: z.int(),
      to_pass: z.int(),
    }),
  ),
  to_green: z
    .array(
      z.object({
        ...condition,
        to_pass: z.int(),
        listed: z.int(),
        cheapest: z.array(z.object({ ...item, do: ActionWord })),
      }),
    )
    .describe(
      'Each failing condition, blocking ones first: how many items must change, and the cheapest to fix. A verdict lists at ' +
        'most 20 items of a condition, so `listed` can be less than `to_pass`.',
    ),
  risks: z.object({
    active: z.int(),
    pending: z.int().describe('Accepted, waiting for the approval of a second person.'),
    ending: z.array(EndingRisk).describe('Active risks that end within 7 days, the first to end first.'),
    ended: z
      .array(z.object({ risk_id: Id, state: plainWords(RiskState), ended_at: Timestamp }))
      .describe('Risks that ended since the verdict of `compared_with` was checked or computed.'),
  }),
})
export type GateWatchOutput = z.input<typeof GateWatchOutput>
