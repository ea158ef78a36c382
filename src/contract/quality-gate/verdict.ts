import * as z from 'zod'
import { Actor, Etag, Hash, Id, IdOrEmpty, Key, prefixed, ProductId, Sentence, Timestamp } from '../base/common.ts'
import { team, untrusted } from '../base/text.ts'
import { Comparator, ConditionSeverity, Metric, VerdictStatus } from './policy.ts'
import { EvidenceType, Risk, RiskState } from './risks.ts'

export const ConditionStatus = prefixed('CONDITION_STATUS', ['PASS', 'FAIL', 'WAIVED', 'NOT_EVALUATED'])

const evidence = {
  id: IdOrEmpty,
  key: Key,
  state: Key.describe('A coverage state, a result, an issue status, a link state or a kind of exclusion, by `type`.'),
  since: Timestamp.nullable().describe('When the first of the verdicts in a row that list it was computed.'),
  new: z.boolean().describe('Not in the previous verdict of this scope, or not in the baseline.'),
  because: Sentence,
}

/** One failing item. Titles of issues come from events, those of tests and links may come from test reports. */
export const Evidence = z.discriminatedUnion('type', [
  z.object({ type: z.literal('requirement'), ...evidence, title: team(z.string()) }),
  z.object({ type: EvidenceType.exclude(['requirement']), ...evidence, title: untrusted(z.string()) }),
])

export const VerdictCondition = z.object({
  id: Key,
  metric: Metric,
  title: Sentence,
  comparator: Comparator,
  threshold: z.number(),
  actual: z.number(),
  sample: z.int(),
  min_sample: z.int(),
  severity: ConditionSeverity,
  status: ConditionStatus,
  message: Sentence,
  evidence: z.array(Evidence).describe('At most 20: new ones first, then the cheapest to fix.'),
  evidence_total: z.int(),
  new_total: z.int().describe('Those of `evidence_total` that are new.'),
  to_pass: z
    .int()
    .describe('Minimum number of evidence items that must change for the condition to hold; 0 = it holds.'),
  waived_by_risk_ids: z.array(Id),
})

export const ExclusionKind = z.enum([
  'quarantined',
  'issue_ignored',
  'issue_resolved',
  'requirement_deprecated',
  'requirement_unapproved',
  'requirement_lowered',
  'requirement_not_normative',
  'requirement_deleted',
  'minor_change',
  'link_removed',
  'link_confirmed',
  'link_added',
  'test_deprecated',
  'test_deleted',
  'test_restored',
  'environment_deleted',
  'environment_lowered',
])

/** A change that takes an item out of a condition without an accepted risk. */
export const Exclusion = z.object({
  id: Id,
  kind: ExclusionKind,
  item: z.object({
    type: z.enum([...EvidenceType.exclude(['exclusion']).options, 'environment']),
    id: Id,
    key: Key,
    title: untrusted(z.string()),
  }),
  actor: Actor,
  by_agent: z.boolean().describe('Made with an agent’s token or through MCP.'),
  at: Timestamp,
  reason: team(z.string()),
  reviewed_by: Actor.nullable().describe('The person who made or reviewed it; null: no person has seen it.'),
  reviewed_at: Timestamp.nullable(),
})

export const Verdict = z.object({
  id: IdOrEmpty,
  product_id: ProductId,
  status: VerdictStatus,
  status_reason: Sentence,
  settled_by: Sentence.describe('INCONCLUSIVE: the one fact that would settle it, and how to send it; else empty.'),
  scope: z.object({
    release_id: IdOrEmpty,
    environment_id: IdOrEmpty,
    branch_id: IdOrEmpty,
    commit_sha: Hash,
    git_branch: untrusted(z.string()),
    ephemeral: z.boolean().describe('Computed with a policy from the request; not stored.'),
  }),
  conditions: z.array(VerdictCondition),
  summary: z.object({
    requirements: z.int(),
    verified: z.int(),
    not_run: z.int(),
    no_test: z.int(),
    failing_requirements: z.int(),
    coverage_ratio: z.number(),
    tests: z.int(),
    passed: z.int(),
    failed: z.int(),
    skipped: z.int(),
    flaky: z.int(),
    unresolved_issues: z.int(),
    new_issues: z.int(),
    regressed_issues: z.int(),
  }),
  results: z.object({
    newest_at: Timestamp.nullable(),
    newest_commit: untrusted(z.string()),
    by_ci: z.int().describe('Results in the scope by whose token sent them.'),
    by_person: z.int(),
    by_agent: z.int(),
    carried: z.int().describe('Results of other commits of the git branch, which prove nothing for this commit.'),
  }),
  incomplete_runs: z
    .array(
      z.object({
        run_id: Id,
        run_key: untrusted(z.string()),
        received: z.int(),
        expected: z.int(),
        missing: z.array(z.int()).describe('Indexes of the missing shards.'),
      }),
    )
    .describe('At most 20.'),
  exclusions: z.array(Exclusion).describe('At most 50: unreviewed ones first, then the newest.'),
  exclusions_total: z.int(),
  exclusions_unreviewed: z.int(),
  unvouched: z
    .object({
      new_issues: z.int(),
      regressed_issues: z.int(),
      reopened_issues: z.int(),
      evidence: z.array(Evidence).describe('At most 20.'),
    })
    .describe('Issues that only events with a public key speak of; they fail no condition.'),
  failed_blocking: z.int(),
  failed_advisory: z.int(),
  pending_risk_ids: z.array(Id),
  active_risk_ids: z.array(Id),
  risks: z.array(Risk).describe('The pending and the active risks in full.'),
  risks_ending: z
    .array(z.object({ risk_id: Id, expires_at: Timestamp }))
    .describe('Active risks that end within 7 days.'),
  risks_ended: z
    .array(z.object({ risk_id: Id, state: RiskState, ended_at: Timestamp }))
    .describe('Risks that ended since the previous verdict.'),
  policy_version: z.int(),
  inputs_digest: Hash,
  stale: z.boolean().describe('Requirements, tests, results or issues have changed since.'),
  previous: z.object({ id: Id, status: VerdictStatus, computed_at: Timestamp }).nullable(),
  baseline_id: IdOrEmpty.describe('The verdict that `new` compares with, when the request named one.'),
  changes: z.array(z.object({ condition_id: Key, from: ConditionStatus, to: ConditionStatus })),
  history: z
    .array(z.object({ id: Id, status: VerdictStatus, computed_at: Timestamp }))
    .describe('Earlier verdicts of this scope, newest first, at most 10.'),
  computed_by: Actor,
  computed_at: Timestamp,
  etag: Etag,
})
