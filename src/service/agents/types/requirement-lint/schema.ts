import * as z from 'zod'
import { Priority } from '../../../../contract/base/common.ts'
import { LintCode, RequirementStatus } from '../../../../contract/requirements.ts'

export const Input = z.strictObject({
  branch: z
    .string()
    .min(1)
    .max(250)
    .optional()
    .describe('Id or name of an open branch: read with its changes. Default: the main tree.'),
  requirement_keys: z
    .array(z.string().min(1).max(40))
    .min(1)
    .max(200)
    .optional()
    .describe('Only these, such as REQ-12, and their pairs with any other. Default: all that are in use.'),
  limit: z
    .int()
    .min(1)
    .max(2000)
    .default(500)
    .describe('Most requirements, and most pairs, in the output. Fewer when they are too large together.'),
})

export const Severity = z.enum(['HIGH', 'MEDIUM', 'LOW'])

const Finding = z.object({
  rule: LintCode,
  severity: Severity.describe(
    'HIGH: no test can decide it (TBD, ESCAPE_CLAUSE, NO_MEASURE); MEDIUM: two readers test different things; LOW: style, often right as it is.',
  ),
  text: z.string().describe('`title`, `statement`, or `criterion 2`.'),
  words: z.string().describe('What the finding is about.'),
  message: z.string(),
  span: z.object({ start: z.int(), end: z.int() }).describe('UTF-16 units in that text.'),
})

const Named = z.object({
  id: z.string(),
  key: z.string().describe('Such as REQ-12; REQ-?3 is new on the branch.'),
  title: z.string(),
})

const Worded = Named.extend({ statement: z.string().describe('At most 1,000 characters of it.') })

export const PairKind = z.enum(['CONTRADICTION', 'NEAR_DUPLICATE', 'POSSIBLE_CONTRADICTION'])

const Pair = z.object({
  kind: PairKind.describe(
    'POSSIBLE_CONTRADICTION: they have other words or details too, and may be about different cases.',
  ),
  first: Worded,
  second: Worded,
  similarity: z.number().describe('From 0 to 1: how much of the subject they share.'),
  differences: z
    .array(z.string())
    .describe('From the first to the second, at most 10: `30 seconds became 60 seconds`.'),
  why: z.string(),
})

const DeltaFinding = z.object({ requirement_key: z.string(), rule: LintCode, text: z.string(), words: z.string() })

const Delta = z.object({
  new_findings: z.int(),
  gone_findings: z.int(),
  new_pairs: z.int(),
  gone_pairs: z.int(),
  listed_new: z.array(DeltaFinding).describe('At most 50, the important ones first.'),
  listed_gone: z.array(DeltaFinding).describe('At most 50.'),
})

export const Output = z.object({
  scope: z.object({
    branch: z.object({ id: z.string(), name: z.string() }).nullable(),
    requirement_keys: z.array(z.string()).describe('Empty: all.'),
  }),
  scanned: z.int().describe('Requirements in use: no groups, no deprecated and no informative ones.'),
  is_whole: z.boolean().describe('Nothing was left out.'),
  pairs: z
    .array(Pair)
    .describe('By kind, the most certain problems first; then by the higher priority, then the most similar.'),
  rules: z
    .array(z.object({ rule: LintCode, severity: Severity, findings: z.int(), requirements: z.int() }))
    .describe('How often each rule found something, the severest first.'),
  requirements: z
    .array(
      Named.extend({
        priority: Priority,
        status: RequirementStatus,
        findings: z.array(Finding).describe('At most 50, the severest first.'),
      }),
    )
    .describe('Those with findings: most of severity HIGH first, then by priority, then by number of findings.'),
  delta: Delta.nullable().describe(
    'Against the last run of this config; null without one, for another scope, or where either left something out.',
  ),
})

export type LintedBody = z.input<typeof Output>['requirements'][number]
export type PairBody = z.input<typeof Pair>
export type DeltaBody = z.input<typeof Delta>
export type OutputBody = z.input<typeof Output>
