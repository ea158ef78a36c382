import * as z from 'zod'
import { Priority, ResultStatus, RiskLevel, Timestamp } from '../../../../contract/base/common.ts'
import { LinkOrigin, LinkRole } from '../../../../contract/links.ts'
import { TestKind } from '../../../../contract/tests.ts'
import { NamedTest } from '../../named-test.ts'

export const Input = z.strictObject({
  limit: z.int().min(1).max(1000).default(200).describe('The most links in the output.'),
})

const CriterionChange = z.object({
  key: z.string().describe('Such as REQ-12.3, the third criterion; of a removed one the key that it had.'),
  change: z.enum(['ADDED', 'REMOVED', 'REWORDED']),
  before: z.string(),
  after: z.string(),
})

const Version = z.object({
  version: z.int(),
  at: Timestamp,
  by: z.object({ type: z.string(), display_name: z.string() }),
  branch: z
    .object({ id: z.string(), name: z.string() })
    .nullable()
    .describe('The quality branch whose merge made this version.'),
  note: z.string().describe('What the branch says about the change; empty for a direct edit, which gives no reason.'),
})

const Change = z.object({
  since_version: z.int().describe('The version at which the links were made or last confirmed.'),
  wording_change: z.string().describe('As [-removed-]{+added+}, line by line; unchanged lines are left out.'),
  title_changed: z.boolean(),
  statement_changed: z.boolean(),
  criteria: z.array(CriterionChange).describe('Acceptance criteria that changed.'),
  versions: z.array(Version).describe('Who changed it and when, oldest first.'),
})

export const Advice = z.enum(['FIX', 'RUN', 'READ', 'CONFIRM'])

const SuspectLink = z.object({
  test: z.object({ ...NamedTest, kind: TestKind }),
  role: LinkRole,
  origin: LinkOrigin,
  requirement_version: z.int(),
  suspect_since: Timestamp.nullable().describe('When the wording changed; null if it did not.'),
  cause: z
    .enum(['WORDING_CHANGED', 'ANNOTATION_GONE', 'MADE_AGAIN'])
    .describe(
      'ANNOTATION_GONE: the test no longer names the requirement; MADE_AGAIN: it was removed while suspect and made again.',
    ),
  criteria: z
    .array(z.string())
    .describe('The criteria that the link names and that still exist, such as REQ-12.2; empty if it names none.'),
  is_touched: z
    .boolean()
    .describe('Whether what the link names has changed: title, statement, or one of its criteria.'),
  last_result: z
    .object({ status: ResultStatus, executed_at: Timestamp, commit_sha: z.string(), is_since_change: z.boolean() })
    .nullable()
    .describe('Of a suite: the newest result in it.'),
  results_since: z
    .object({ passed: z.int(), failed: z.int(), not_run: z.int() })
    .nullable()
    .describe('Cases of the test by their newest result after the change; null if the wording did not change.'),
  advice: z.object({
    action: Advice.describe(
      'FIX: it fails; RUN: it has no result since the change; READ: compare it with the change; CONFIRM: what it names has not changed.',
    ),
    why: z.string(),
  }),
  to_confirm: z
    .object({ test: z.string(), requirement_ids: z.array(z.string()) })
    .nullable()
    .describe(
      'What a confirmation of this link names, after reading; null for a suite, or if all criteria that it names are gone.',
    ),
})

export const Output = z.object({
  total: z.int().describe('Suspect links of requirements and tests in use.'),
  meaning: z.string().describe('What confirming means.'),
  requirements: z
    .array(
      z.object({
        id: z.string(),
        key: z.string(),
        title: z.string(),
        priority: Priority,
        risk: RiskLevel,
        version: z.int(),
        changes: z.array(Change).describe('One for each earlier version at which suspect links were made.'),
        links: z.array(SuspectLink).describe('In the order of their tests.'),
      }),
    )
    .describe('Highest priority first, then those in doubt for longest.'),
})

export type SuspectLinkBody = z.input<typeof SuspectLink>
export type RequirementBody = z.input<typeof Output>['requirements'][number]
export type ChangeBody = z.input<typeof Change>
