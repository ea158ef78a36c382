import * as z from 'zod'
import { Hash, Id, Timestamp, TimestampInput } from './common.ts'
import { untrusted } from './text.ts'

export const ReleaseName = z.object({ id: Id, version: untrusted(z.string()), known: z.boolean() })

/** The release of a fix: one that is known, the first one with a commit (null until there is one), or the next one. */
export const FixedIn = z.object({
  kind: z.enum(['release', 'commit', 'next']),
  release: ReleaseName.nullable(),
  commit: Hash,
})

/** One member of `count`, `until` and `release`; `remaining` occurrences of `count` are still ignored. */
export const IgnoreUntil = z.object({
  count: z.int().optional(),
  remaining: z.int().optional(),
  until: Timestamp.optional(),
  release: z.literal('next').optional(),
})

/** Occurrences that came after the issue was resolved, did not reopen it, and are not known to be from before the fix. */
export const StillFiring = z.object({ since: Timestamp, events: z.int() })

/**
 * What reopens a resolved or ignored issue (contract §10.3), in the environments with most of its occurrences; no environment
 * when releases do not decide it. `any_event`: no release of the environment is known. `any_known_release`: none was
 * known when the status was set.
 */
export const Reopening = z.object({
  /** False: nothing reopens an ignored issue; an occurrence only marks a resolved one as regressed. */
  reopens: z.boolean(),
  /** Whether an occurrence that names no release does it too. */
  without_release: z.boolean(),
  environments: z.array(
    z.object({
      environment: untrusted(z.string()),
      environment_known: z.boolean(),
      rule: z.enum(['at_or_after', 'after', 'any_known_release', 'any_event']),
      release: ReleaseName.nullable(),
    }),
  ),
})

const DURATION = /^[1-9]\d{0,3}[hdw]$/
const COMMIT = /^[0-9a-f]{7,64}$/i

/** Members of the requests that set a status (contract §10.3). */
export const statusDetails = {
  fixed_in: z
    .union([
      z.literal('next'),
      z.strictObject({
        release: z.string().min(1).max(250).optional().describe('Id or version of a known release, or next.'),
        commit: z.string().regex(COMMIT, 'a commit is 7 to 64 hexadecimal characters').optional(),
      }),
    ])
    .optional()
    .describe('For resolved: only an occurrence of this release or a later one reopens the issue.'),
  ignore_until: z
    .strictObject({
      count: z.int().min(1).max(1_000_000).optional().describe('So many more occurrences.'),
      until: z
        .union([
          TimestampInput,
          // Without `abort`, the failure of a time would be hidden behind this one.
          z.string().regex(DURATION, { abort: true, error: 'a time, or a duration such as 12h, 7d or 2w' }),
        ])
        .optional()
        .describe('A time, or a duration such as 12h, 7d or 2w.'),
      release: z.literal('next').optional().describe('Until it occurs in a newer known release.'),
    })
    .optional()
    .describe('For ignored: exactly one of the members.'),
}
