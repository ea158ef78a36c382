import * as z from 'zod'
import { Id, IssueStatus, Key, Level, NamedRef, Ref, Sentence, Timestamp } from '../../../../contract/base/common.ts'
import { untrusted } from '../../../../contract/base/text.ts'
import { VerdictStatus } from '../../../../contract/quality-gate/policy.ts'
import { shortName } from '../../../../contract/quality-gate/short-name.ts'
import { EndingRisk } from '../../ending-risk.ts'

const issue = {
  id: Id,
  key: Key.describe('SHOP-31'),
  title: untrusted(z.string()),
  level: Level,
  status: IssueStatus,
  events: z.int().describe('In this release.'),
  events_before: z.int().describe('In the predecessor.'),
}

const release = z.object({
  release: NamedRef,
  environment: NamedRef,
  released_at: Timestamp.nullable(),
  events: z.int(),
})

const coverage = z.object({
  test_runs: z.int().describe('Test runs that name this version; without one the other counts mean nothing.'),
  requirements: z.int(),
  verified: z.int(),
  failing: z.int(),
})

const verdict = { id: Id, status: z.enum(VerdictStatus.options.map(shortName)), computed_at: Timestamp }

export const ReleaseDigestOutput = z.object({
  release,
  predecessor: release.nullable().describe('The known release of its package before it in its environment.'),
  counts: z.object({
    new_issues: z.int(),
    regressed_issues: z.int(),
    gone_issues: z.int(),
    continuing_issues: z.int().describe('In both releases.'),
  }),
  new_issues: z.array(z.object(issue)).describe('First seen in this environment in this release.'),
  regressed_issues: z.array(z.object(issue)).describe('Resolved before, and back in this release.'),
  gone_issues: z
    .array(
      z.object({
        ...issue,
        confidence: z
          .enum(['HIGH', 'LOW'])
          .describe(
            'HIGH: this release has events, and at the rate of the predecessor at least 3 of this issue were due by now.',
          ),
      }),
    )
    .describe('In the predecessor, but not in this release.'),
  coverage: z.object({
    current: coverage,
    before: coverage.nullable(),
    lost: z.array(Ref).describe('Verified by the results of the predecessor, but not by those of this release.'),
    lost_total: z.int(),
    gained: z.array(Ref),
    gained_total: z.int(),
  }),
  untested: z
    .array(Ref.extend({ because: Sentence }))
    .describe(
      'Unverified requirements whose code has new or regressed issues of this release, or that the predecessor verified.',
    ),
  verdict: z.object({
    current: z.object({ ...verdict, status_reason: Sentence, stale: z.boolean() }).nullable(),
    before: z.object(verdict).nullable(),
  }),
  risks_ending: z.array(EndingRisk).describe('Accepted risks of this release that end within 7 days.'),
  elsewhere: z
    .array(release.extend({ new_issues: z.int(), regressed_issues: z.int() }))
    .describe('The same version in other environments.'),
})
export type ReleaseDigestOutput = z.input<typeof ReleaseDigestOutput>
