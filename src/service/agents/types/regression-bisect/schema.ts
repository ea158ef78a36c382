import * as z from 'zod'
import { IssueStatus, Level } from '../../../../contract/base/common.ts'

export const input = z.strictObject({
  issue: z
    .string()
    .trim()
    .min(1)
    .max(128)
    .optional()
    .describe(
      'Key (SHOP-31) or id of one issue. Default: open fatal and error issues that are new or came back in the last 14 days.',
    ),
  environment: z
    .string()
    .trim()
    .min(1)
    .max(128)
    .optional()
    .describe('Name or id of the only environment that counts. Default: all known ones in which the issue occurs.'),
  limit: z.int().min(1).max(100).default(25).describe('Most issues to bisect when none is named.'),
})

const Named = z.object({ id: z.string(), version: z.string() })

const Row = Named.extend({
  id: z.string().describe('Id of the release in its most exposed environment.'),
  state: z
    .enum(['BAD', 'GOOD', 'NOT_LIVE'])
    .describe(
      'BAD: events of the issue name it. GOOD: none do, and it was live in an environment of the first bad release. NOT_LIVE: recorded, but neither events nor a date of release show that it was live there.',
    ),
  environments: z
    .array(z.string())
    .describe('Names of the environments in which it is recorded, at most 5, the most exposed first.'),
  events: z.int().describe('Events of the issue, ever; retention does not reduce it.'),
  other_events: z.int().describe('Events of other issues in the same environments: they show that it was in use.'),
  live_days: z.number().describe('Days until a higher version replaced it in all of these environments, or until now.'),
  events_per_day: z.number().describe('events / live_days'),
})

const Bisection = z.object({
  issue: z.object({
    id: z.string(),
    key: z.string(),
    level: Level,
    status: IssueStatus,
    is_regression: z.boolean(),
    events: z.int(),
  }),
  kind: z
    .enum(['INTRODUCED', 'CAME_BACK', 'IN_OLDEST_RELEASE', 'UNKNOWN'])
    .describe(
      'CAME_BACK: it was resolved, absent from last_good and occurred again. IN_OLDEST_RELEASE: no older release is known to have been live. UNKNOWN: no known release has it.',
    ),
  first_bad: Named.nullable().describe('Oldest release of the current series of releases with the issue.'),
  last_good: Named.nullable().describe('Release before it that was live in the same environment without the issue.'),
  commits: z
    .object({ from: z.string(), to: z.string() })
    .nullable()
    .describe('Commits of last_good (exclusive) and first_bad (inclusive); null when a release does not know its own.'),
  confidence: z.enum(['HIGH', 'LOW']),
  confidence_reason: z.string().describe('The data behind HIGH, or what is missing for it.'),
  expected_in_last_good: z
    .number()
    .nullable()
    .describe('Events that last_good would have had at the rate of first_bad; below 3, their absence may be chance.'),
  releases: z
    .array(Row)
    .describe('By version, oldest first; at most 5 around first_bad. Only releases that a token made known.'),
  events_outside: z
    .int()
    .describe('Events that name no known release, or come from another environment or package: they order nothing.'),
  files: z
    .array(z.string())
    .describe(
      'Files nearest to the crash, at most 3, as repo_path of their frames; get_fix_context names them as they are in the working tree.',
    ),
})
export type BisectionBody = z.input<typeof Bisection>

export const output = z.object({
  environment: z.object({ id: z.string(), name: z.string() }).nullable().describe('The environment asked for.'),
  counts: z.object({
    issues: z.int(),
    high: z.int().describe('With confidence HIGH.'),
    introduced: z.int(),
    came_back: z.int(),
    in_oldest_release: z.int(),
    unknown: z.int(),
  }),
  first_bad_releases: z
    .array(z.object({ version: z.string(), issues: z.array(z.string()) }))
    .describe('Keys of the issues by first bad release, HIGH confidence only, the release with the most issues first.'),
  issues: z.array(Bisection).describe('Confidence HIGH first, then by severity and number of events.'),
})
