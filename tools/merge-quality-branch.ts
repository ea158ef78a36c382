import * as z from 'zod'
import { Branch as BranchSchema } from '../src/contract/branches.ts'
import { counted } from '../src/lib/counted.ts'
import { stateDigest } from '../src/mcp/confirm/state.ts'
import { defineTool } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { counts, fields, flag, pick, rows, teamLine, upTo } from '../src/mcp/result/output.ts'
import { coverageWords, gateWords, mergeFacts } from './support/branches/merge-facts.ts'
import { MOST_VALUE } from './support/branches/merge-preview.ts'
import { readMerging, type MergeAnswer, type Merging } from './support/branches/merging.ts'
import { leftOut, openConflicts } from './support/branches/open-conflicts.ts'
import { conflictRows } from './support/branches/rows.ts'
import { sendMerge } from './support/branches/send-merge.ts'
import { changeWords, typedKey } from './support/branches/subject.ts'
import { PREVIEW } from './support/words.ts'
import { READ_BACK } from './support/writes/outcome.ts'

const input = z.strictObject({
  product: parameters.Product,
  branch: parameters.RequiredBranch,
  resolutions: z
    .array(
      z.strictObject({
        conflict: z.string().min(1).describe('Its name, such as REQ-12/statement.'),
        use: parameters.named('Whose value holds.', z.enum(['main', 'branch', 'value'])),
        value: z.string().max(MOST_VALUE).optional().describe('With use=value: text, or JSON of a list.'),
      }),
    )
    .max(200)
    .optional()
    .describe('As the user decided each conflict.'),
  reason: parameters.named('Why; people see it.', z.string().trim().min(1).max(1000)),
  dry_run: parameters.DryRun,
  confirmation: parameters.Confirmation,
})
type Arguments = z.output<typeof input>

export const mergeQualityBranch = defineTool({
  name: 'merge_quality_branch',
  toolset: 'branches',
  // It changes and deletes requirements, and no call takes that back.
  effect: 'delete',
  unconfirmed: 'ask the user to merge it in the web interface; review_branch shows what it would do',
  title: 'Merge a quality branch',
  description:
    'Merge a quality branch into the main requirements and approve them, once the user confirms. Lists open conflicts.',
  input,
  output: z.object({
    dry_run: flag.optional(),
    outcome: z.enum(['merged', 'would_merge', 'not_merged']),
    branch: fields({ id: z.string(), ...pick(BranchSchema, 'name') }),
    merged: fields(counts('created', 'modified', 'deleted', 'moved', 'links_applied')).optional(),
    keys: rows({ id: z.string(), was: z.string() }).optional(),
    facts: z.array(upTo(teamLine, 600)).optional(),
    coverage: z.string().optional(),
    gate: z.string().optional(),
    conflicts: conflictRows.optional(),
  }),
  cuts: [
    { path: 'keys', least: 5 },
    { path: 'conflicts', least: 3 },
  ],

  async lacks(args, context) {
    return openConflicts(await readMerging(args, context), args)
  },

  async confirm(args, context) {
    const merging = await readMerging(args, context)
    const { subject, preview } = merging
    return {
      asks: `Merge quality branch ${subject.label} into the main requirements`,
      product: subject.product,
      facts: mergeFacts(merging),
      key: typedKey(subject),
      undo: '',
      state: stateDigest([subject.branch.id, preview.preview_token, args.resolutions]),
    }
  },

  async run(args, context) {
    const merging = await readMerging(args, context)
    const { subject, effect = {} } = merging
    const { branch, product, label } = subject
    if (args.dry_run) return openConflicts(merging, args) ?? previewAnswer(merging, args)
    const { merge, isReadBack } = await sendMerge(merging, args, context)
    const keys = merge?.id_map?.flatMap(({ provisional_key: was, key: id }) => (id === undefined ? [] : [{ id, was }]))
    const requirement = keys?.find(({ id }) => id.startsWith('REQ-'))?.id
    return {
      answer: `Merged quality branch ${label}: ${mergedWords(merge)}.${isReadBack ? READ_BACK : ''}`,
      product,
      data: {
        outcome: 'merged' as const,
        branch,
        merged: merge,
        keys,
        coverage: coverageWords(effect),
        gate: gateWords(effect),
      },
      adjusted: leftOut(merging, args),
      next: [
        nextCall('find_coverage_gaps', { product: product.id }, 'merged requirements are gaps until tests prove them'),
        requirement === undefined
          ? undefined
          : nextCall(
              'get_test_context',
              { product: product.id, requirement },
              'what a test of the first one has to show',
            ),
      ],
    }
  },
})

/** What a merge would do, where nothing is left to decide. */
function previewAnswer(merging: Merging, args: Arguments) {
  const { subject } = merging
  return {
    answer: `${PREVIEW}would merge quality branch ${subject.label}, once the user confirms.`,
    product: subject.product,
    data: {
      dry_run: true,
      outcome: 'would_merge' as const,
      branch: subject.branch,
      facts: mergeFacts(merging).map(({ label, value }) => `${label}: ${value}`),
    },
    adjusted: leftOut(merging, args),
    next: [],
  }
}

function mergedWords(merge: MergeAnswer): string {
  const { created, modified, deleted, moved, links_applied: links } = merge ?? {}
  const parts = [changeWords(merge), links ? `${counted(links, 'link')} applied` : ''].filter((part) => part !== '')
  const isStated = [created, modified, deleted, moved, links].every((count) => count !== undefined)
  return parts.join(', ') || (isStated ? 'nothing changed in main' : 'what it changed is not stated')
}
