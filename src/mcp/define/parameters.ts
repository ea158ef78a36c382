import * as z from 'zod'
import { MOST_ROWS, USUAL_ROWS } from '../result/page.ts'

const selfNamed = z.registry<{ by: 'name' }>()

/**
 * Describes a parameter whose name says as much: the description is for errors, and is not published in the schema, where
 * every tool would repeat it.
 */
export function named<S extends z.ZodType>(description: string, schema: S): S {
  const described = schema.describe(description)
  selfNamed.add(described, { by: 'name' })
  return described
}

/** Whether `named` described the parameter. */
export function isSelfNamed(schema: z.core.$ZodType | undefined): boolean {
  return schema !== undefined && selfNamed.has(schema)
}

/** Left out of every tool when a product is pinned. */
export const Product = named('Product id or name.', z.string().optional())
/** Found by `context.resolve.branch`. */
export const RequiredBranch = z.string().describe('Quality branch.')
/** Absent means the main tree. */
export const Branch = RequiredBranch.optional()
export const Limit = named('Rows.', z.int().min(1).max(MOST_ROWS).default(USUAL_ROWS))
export const Cursor = named('next_cursor of the previous page.', z.string().optional())
export const DryRun = named('Preview only.', z.boolean().default(false))
/** Of tools whose calls may need a person's confirmation (mcp §7). */
export const Confirmation = z.string().describe('From the preview, once agreed.').optional()
export const Detail = z.enum(['concise', 'full']).default('concise').describe('full adds long text.')

/** Of tools that follow an agent run; the whole call ends within 25 seconds (mcp §5). */
export const WaitSeconds = named('Seconds to wait for its end.', z.int().min(0).max(25).default(0))

interface Word {
  /** What an id, key or name in this parameter names: the word for it in a web address (`/issues/…`). */
  thing?: string
  /** Other words for the parameter. Its own name counts in any case, with any separator, with and without an `s`. */
  also?: readonly string[]
}

/**
 * Every parameter that names a thing by its id, and every one that callers know under another word: the one list that
 * argument repair reads. A thing's words also count with `_id`, `_key` and `_name` after them.
 */
export const words: ReadonlyMap<string, Word> = new Map<string, Word>([
  ['product', { thing: 'product', also: ['project'] }],
  ['workspace', { thing: 'workspace', also: ['organization', 'org'] }],
  ['issue', { thing: 'issue', also: ['error_issue'] }],
  ['issues', { thing: 'issue', also: ['error_issue'] }],
  ['event', { thing: 'event', also: ['occurrence'] }],
  ['environment', { thing: 'environment', also: ['env'] }],
  ['release', { thing: 'release', also: ['version'] }],
  ['fixed_in', { also: ['in_release', 'fixed_in_release', 'fixed_in_commit', 'resolved_in'] }],
  ['ignore_until', { also: ['ignore_for', 'snooze_until', 'mute_until'] }],
  ['component', { thing: 'component' }],
  ['branch', { thing: 'branch', also: ['quality_branch'] }],
  ['requirement', { thing: 'requirement' }],
  ['requirements', { thing: 'requirement' }],
  ['requirement_ids', { thing: 'requirement' }],
  ['test', { thing: 'test' }],
  ['run', { thing: 'run', also: ['agent_run'] }],
  ['type', { thing: 'agent_type' }],
  ['config', { thing: 'config', also: ['agent_config'] }],
  ['blocker', { thing: 'blocker' }],
  ['risk', { thing: 'risk' }],
  ['accept', { thing: 'proposal' }],
  ['reject', { thing: 'proposal' }],
  ['body', { also: ['statement', 'description', 'text'] }],
  ['criteria', { also: ['acceptance_criteria'] }],
  ['files', { also: ['paths', 'code_refs'] }],
  ['levels', { also: ['severity'] }],
  ['period', { also: ['stats_period', 'time_range', 'timeframe'] }],
  ['sort', { also: ['sort_by', 'order', 'order_by'] }],
  ['match', { also: ['query', 'search'] }],
  ['input_json', { also: ['input', 'parameters'] }],
  ['limit', { also: ['page_size', 'per_page', 'max_results'] }],
  ['cursor', { also: ['next_cursor', 'page_token'] }],
])

/** Parameters whose meaning is never guessed; `status` of a write is another (mcp §4). */
export const neverGuessed: ReadonlySet<string> = new Set(['reason', 'confirmation', 'dry_run', 'tests'])
