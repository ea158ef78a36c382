import * as z from 'zod'
import { AlsoChangedIn, Branch } from './branches.ts'
import {
  accept,
  Id,
  IdOrEmpty,
  Key,
  prefixed,
  Priority,
  ProductId,
  Ref,
  RequestId,
  Sentence,
  Title,
  TruncationSignals,
  ValidateOnly,
} from './base/common.ts'
import { endpoint, MIB } from './base/endpoint.ts'
import { LintCode, Requirement } from './requirements.ts'
import { team } from './base/text.ts'

export const DistillAction = prefixed('DISTILL_ACTION', [
  'CREATE',
  'UPDATE',
  'DUPLICATE',
  'CONFLICT',
  'RETIRE',
  'ERROR',
])
export const Pattern = prefixed('PATTERN', [
  'EARS_UBIQUITOUS',
  'EARS_EVENT',
  'EARS_STATE',
  'EARS_OPTIONAL',
  'EARS_UNWANTED',
  'EARS_COMPLEX',
  'RFC2119',
  'GHERKIN',
  'USER_STORY',
  'IMPERATIVE',
  'ITEM',
])
export const Modality = prefixed('MODALITY', ['MUST', 'MUST_NOT', 'SHOULD', 'SHOULD_NOT', 'MAY'])
export const DocumentMediaType = z.enum(['text/markdown', 'text/plain', 'text/x-gherkin'])

/** What became of lines of the text; each line with text has exactly one use. */
export const LineUse = z.enum(['proposal', 'criterion', 'context', 'skipped'])
export const SkipReason = Key.describe('Why the lines were skipped, such as CODE, TABLE, LOW_CONFIDENCE or LIMIT.')

export const DistillProposal = z.object({
  ordinal: z.int(),
  action: DistillAction,
  requirement: Requirement.extend({ id: IdOrEmpty }).describe(
    'The draft; its id and key are empty until it is written.',
  ),
  matched: Ref.extend({ similarity: z.number() }).nullable(),
  differences: z.array(team(z.string())).describe('How it differs from the matched requirement, in words.'),
  changes: z
    .array(z.object({ field: Key, before: team(z.string()), after: team(z.string()) }))
    .describe('What the draft changes in the matched requirement.'),
  needs_decision: z.boolean().describe('It contradicts the matched requirement: the merge asks for a resolution.'),
  also_changed_in: z.array(AlsoChangedIn),
  error: Sentence.describe('Why nothing was drafted for it; empty unless DISTILL_ACTION_ERROR.'),
  pattern: Pattern,
  modality: Modality,
  confidence: z.number(),
  source: z.object({ document: team(z.string()), line_start: z.int(), line_end: z.int(), quote: team(z.string()) }),
  lint: z.array(z.object({ code: LintCode, term: team(z.string()), message: Sentence })),
})

export const Distillation = z.object({
  id: IdOrEmpty,
  branch: Branch.nullable(),
  proposals: z.array(DistillProposal),
  skipped: z.array(
    z.object({ document: team(z.string()), quote: team(z.string()), line: z.int(), reason: SkipReason }),
  ),
  lines: z
    .array(
      z.object({
        document: team(z.string()),
        line_start: z.int(),
        line_end: z.int(),
        use: LineUse,
        ordinal: z.int().describe('Of the proposal; 0 for context and skipped lines.'),
        reason: SkipReason,
      }),
    )
    .describe('Every line with text, in order: a proposal, a criterion of one, context, or skipped.'),
  summary: z.object({
    sentences: z.int(),
    proposed: z.int(),
    created: z.int(),
    updated: z.int(),
    duplicates: z.int(),
    conflicts: z.int(),
    retired: z.int(),
    errors: z.int(),
    skipped: z.int(),
  }),
  truncation_signals: TruncationSignals,
})

const DocumentInput = z.object({
  name: z.string().min(1).max(500),
  content: z.string(),
  uri: z.string().max(2000).optional(),
  media_type: DocumentMediaType.optional(),
})

const ItemInput = z.object({
  title: Title,
  requirement_key: z
    .string()
    .min(1)
    .max(40)
    .optional()
    .describe('The requirement that the item changes, such as REQ-12.'),
  retire: z.boolean().optional().describe('The requirement no longer holds: draft its deprecation.'),
  statement: z.string().max(20_000).optional(),
  criteria: z.array(z.string().min(1).max(4000)).max(100).optional(),
  priority: accept(Priority).optional(),
  files: z.array(z.string().min(1).max(500)).max(200).optional(),
})

const share = z.number().min(0).max(1).optional()

export const distillIntent = endpoint({
  method: 'POST',
  path: '/v1/products/{product_id}/intent:distill',
  summary: 'Turn text into requirement drafts on a branch; nothing is written to the main tree.',
  input: {
    product_id: ProductId,
    text: z.string().optional().describe('Pass one of text, documents and items.'),
    documents: z.array(DocumentInput).min(1).max(20).optional(),
    items: z
      .array(ItemInput)
      .min(1)
      .max(200)
      .optional()
      .describe('Items that already are requirements: they are only compared and drafted.'),
    branch_id: Id.optional().describe('Default: a new branch.'),
    branch_name: z.string().trim().min(1).max(120).optional(),
    parent_id: Id.optional(),
    default_priority: accept(Priority).optional(),
    options: z
      .object({
        min_confidence: share.describe('Default 0.5.'),
        max_requirements: z.int().min(1).max(200).optional().describe('Default 200.'),
        duplicate_threshold: share.describe('Default 0.90.'),
        related_threshold: share.describe('Default 0.75.'),
        include_informative: z.boolean().optional(),
      })
      .optional(),
    request_id: RequestId.optional(),
    validate_only: ValidateOnly.optional(),
  },
  returns: { distillation: Distillation },
  fails: ['invalid_argument', 'not_found', 'failed_precondition', 'already_exists', 'payload_too_large'],
  reasons: ['BRANCH_NOT_OPEN'],
  bodyLimitBytes: 2 * MIB,
})
