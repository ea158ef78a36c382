import * as z from 'zod'
import { Priority, ResultStatus, RiskLevel, Timestamp } from '../../../../contract/base/common.ts'
import { LinkOrigin, LinkRole } from '../../../../contract/links.ts'
import { TestKind } from '../../../../contract/tests.ts'

export const Input = z.strictObject({
  limit: z.int().min(1).max(1000).default(200).describe('The most links in the output.'),
})

const CriterionChange = z.object({
  key: z.string().describe('Such as REQ-12.3, the third criterion; by its old place when it was removed.'),
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
  note: z.string().describe('What the branch says of the change; empty for a direct edit, which gives no reason.'),
})

const Change = z.object({
  since_version: z.int().describe('The version at which the links were made or last confirmed.'),
  wording_change: z.string().describe('As [-removed-]{+added+}, line by line; unchanged lines are left out.'),
  title_changed: z.boolean(),
  statement_changed: z.boolean(),
  criteria: z.array(CriterionChange).describe('Acceptance criteria that changed.'),
  versions: z.array(Version).describe('Who changed it and when, oldest first.'),
})

const SuspectLink = z.object({
  test: z.object({
    id: z.string(),
    key: z.string().describe('Such as TC-7.'),
    title: z.string(),
    names_known: z.boolean().describe('Whether members gave the names; else they come from a report.'),
    kind: TestKind,
    file_path: z.string(),
  }),
  role: LinkRole,
  origin: LinkOrigin,
  requirement_version: z.int(),
  suspect_since: Timestamp.nullable().describe('When the wording changed; null where another cause made it suspect.'),
  cause: z
    .enum(['WORDING_CHANGED', 'ANNOTATION_GONE', 'MADE_AGAIN'])
    .describe(
      'ANNOTATION_GONE: the test no longer names the requirement; MADE_AGAIN: it was removed while suspect and made again.',
    ),
  criteria: z.array(z.string()).describe('The criteria that the link names, such as REQ-12.2; empty: all of them.'),
  is_touched: z
    .boolean()
    .describe('Whether the change reaches what the link names: title, statement, or one of its criteria.'),
  last_result: z
    .object({ status: ResultStatus, executed_at: Timestamp, commit_sha: z.string(), is_since_change: z.boolean() })
    .nullable()
    .describe('Of a suite: the newest result in it.'),
  results_since: z
    .object({ passed: z.int(), failed: z.int(), not_run: z.int() })
    .describe('Cases of the test by their newest result, if that is from after the change.'),
  advice: z.object({
    action: z.enum(['FIX', 'RUN', 'READ', 'CONFIRM']),
    why: z.string(),
  }),
  confirm_call: z
    .object({ tool: z.string(), arguments: z.record(z.string(), z.unknown()), then_add: z.string() })
    .nullable()
    .describe('The call that confirms this link, to be made after reading; null for a suite.'),
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
        changes: z.array(Change).describe('One for each version at which suspect links were made.'),
        links: z.array(SuspectLink).describe('By the keys of the tests.'),
      }),
    )
    .describe('The highest priority first, then the longest in doubt.'),
})

export type SuspectLinkBody = z.input<typeof SuspectLink>
export type RequirementBody = z.input<typeof Output>['requirements'][number]
export type ChangeBody = z.input<typeof Change>
