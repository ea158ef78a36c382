import * as z from 'zod'
import { Priority, Timestamp } from '../../../../contract/base/common.ts'
import { NamedTest } from '../../named-test.ts'

const MOST_DAYS = 30

export const Input = z
  .strictObject({
    window: z.enum(['1d', '7d', '30d', '90d']).default('30d').describe('How far back results are read.'),
    min_runs: z
      .int()
      .min(1)
      .max(1000)
      .default(10)
      .describe('Cases with fewer runs in the window are only listed in `too_few_runs`.'),
    environment: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe('Id or name: only results of this environment count. Default: all environments.'),
    limit: z.int().min(1).max(200).default(50).describe('The most cases in each list, and the most to quarantine.'),
    apply: z
      .boolean()
      .default(false)
      .describe(
        'Quarantine the cases whose suggestion is QUARANTINE. Each counts as an unreviewed exclusion, which the quality gate lists until a person has reviewed it.',
      ),
    owner: z.string().trim().min(1).max(120).optional().describe('Who will mend the tests; required with apply.'),
    days: z.int().min(1).max(MOST_DAYS).default(14).describe('How long the quarantine lasts.'),
  })
  .refine(({ apply, owner }) => !apply || owner !== undefined, {
    path: ['owner'],
    message: 'is required with apply: say who will mend the tests',
  })

const BrokenSince = z.object({
  at: Timestamp.describe('The first of the runs that failed.'),
  commit_sha: z.string(),
  git_branch: z.string(),
  run_key: z.string(),
  ci_url: z.string(),
  runs: z.int().describe('Runs since then, all of them failed.'),
  commits: z.int().describe('Commits of these runs.'),
})

const Commit = z.object({
  commit_sha: z.string().describe('Empty if the run does not name it; then only flips within the run count.'),
  environment: z.string(),
  passed: z.int().describe('Runs that ended with a pass.'),
  failed: z.int(),
  flips: z.int(),
  runs: z
    .array(z.object({ run_key: z.string(), at: Timestamp, outcome: z.enum(['passed', 'failed', 'passed and failed']) }))
    .describe('Oldest first; the last 6.'),
})

const FlakyCase = z.object({
  ...NamedTest,
  runs: z.int().describe('Runs in the window that passed or failed; skipped and blocked ones do not count.'),
  flips: z
    .int()
    .describe(
      'Runs in which the case passed and failed, or which ended differently from the run before on the same commit in the same environment.',
    ),
  flip_rate: z.number().describe('flips / runs, with 3 decimals.'),
  first_flip_at: Timestamp,
  last_flip_at: Timestamp,
  commits: z.array(Commit).describe('The evidence: commits with flips, newest first, at most 5.'),
  requirements: z
    .array(
      z.object({
        id: z.string(),
        key: z.string(),
        title: z.string(),
        priority: Priority,
        is_only_proof: z.boolean().describe('No other test counts for it: a quarantine leaves it without a test.'),
      }),
    )
    .describe('What the case proves, at most 50.'),
  quarantine: z
    .object({ until: Timestamp, owner: z.string(), reason: z.string() })
    .nullable()
    .describe('The quarantine that it is in; null if it is in none.'),
  broken_since: BrokenSince.nullable().describe('It has failed in each run of at least two commits: not only flaky.'),
  suggestion: z.object({
    action: z
      .enum(['QUARANTINE', 'FIX'])
      .describe('FIX: it is in quarantine already, or broken, which a quarantine would hide.'),
    reason: z.string().describe('For QUARANTINE: the reason that apply gives.'),
  }),
})

export const Output = z.object({
  window: z.object({ from: Timestamp, to: Timestamp }),
  scanned: z.int().describe('Cases in use.'),
  totals: z
    .object({ flaky: z.int(), too_few_runs: z.int(), broken: z.int() })
    .describe('The full length of each list, even if the list is cut.'),
  flaky: z.array(FlakyCase).describe('Most flips first.'),
  too_few_runs: z
    .array(z.object({ ...NamedTest, runs: z.int(), flips: z.int() }))
    .describe('Cases that flipped and have fewer than min_runs runs.'),
  broken: z
    .array(
      z.object({
        ...NamedTest,
        broken_since: BrokenSince,
        requirement_keys: z.array(z.string()).describe('What the case proves, at most 50.'),
      }),
    )
    .describe('Cases without a flip that have failed in each run since a commit: not flaky. Longest first.'),
  quarantined: z.array(z.object({ id: z.string(), key: z.string(), until: Timestamp })).describe('What apply did.'),
})

export type FlakyCaseBody = z.input<typeof FlakyCase>
export type OutputBody = z.input<typeof Output>
export type Options = z.output<typeof Input>
