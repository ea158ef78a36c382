import * as z from 'zod'
import { IssueStatus, Level } from '../../../../contract/base/common.ts'
import { GapType } from '../../../../contract/test-context.ts'

export const input = z.strictObject({
  status: IssueStatus.default('unresolved').describe('Issues of this status are triaged.'),
  limit: z
    .int()
    .min(1)
    .max(500)
    .default(100)
    .describe('Most issues in the output: those with the highest priority. Fewer when they are too large together.'),
  apply: z
    .boolean()
    .default(false)
    .describe(
      'Store the component of issues that have none. Nothing else is written, and no component is ever replaced.',
    ),
})

const Named = z.object({ id: z.string(), key: z.string() })

const Priority = z
  .object({
    score: z
      .number()
      .describe('0 to 100: min(100, gap score + 10 U + 5 T + 10 G), where the gap score is that of coverage gaps.'),
    gap_score: z.number().describe('100 R S (0.3 + 0.7 E), as for coverage gaps; R, S and E are the next members.'),
    risk: z.number().describe('R: the highest risk of the requirements that claim its files; 0.5 when none does.'),
    gap: z
      .union([GapType, z.literal('')])
      .describe('S: the worst gap among these requirements; empty, with S 0.4, when none of them has a gap.'),
    exposure: z
      .number()
      .describe(
        'E: events of the last 7 days, weighted by level and environment. E, U and T are 0 when anyone may have made up the events.',
      ),
    users: z.number().describe('U = min(1, log10(1 + users) / 3)'),
    rising: z
      .boolean()
      .describe('T: at least 5 events in the last day, and twice the daily mean of the 6 days before.'),
    regression: z.boolean().describe('G: it came back after it was resolved.'),
  })
  .describe('What the order of the issues follows from.')

const Triaged = z.object({
  issue: Named.extend({ level: Level, status: IssueStatus, events: z.int(), events_7d: z.int(), users: z.int() }),
  priority: Priority,
  component: z
    .object({
      id: z.string(),
      key: z.string(),
      state: z
        .enum(['STORED', 'PROPOSED'])
        .describe('STORED: the issue has it. PROPOSED: the issue has none, and `apply` stores this one.'),
      why: z.string(),
    })
    .nullable()
    .describe('Null when no component owns a file of its frames.'),
  requirements: z.array(Named).describe('Requirements that claim its files, at most 3.'),
  duplicates: z
    .array(Named.extend({ status: IssueStatus }))
    .describe(
      'Candidates, at most 5, the oldest first: issues with the same type of exception and the same 3 nearest in-app frames.',
    ),
  suggested_status: IssueStatus.describe('A suggestion only; nothing sets it.'),
  reason: z.string().describe('Why that status.'),
  next: z.string(),
})
export type TriagedBody = z.input<typeof Triaged>
export type PriorityBody = z.input<typeof Priority>

export const output = z.object({
  counts: z.object({
    issues: z.int().describe('Issues of the status.'),
    triaged: z.int(),
    regressions: z.int(),
    duplicates: z.int().describe('Triaged issues with a duplicate candidate.'),
    without_component: z.int(),
    proposed_components: z.int(),
    applied_components: z.int(),
    status_changes_suggested: z.int(),
  }),
  issues: z.array(Triaged).describe('By priority, the highest first.'),
})
