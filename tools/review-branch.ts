import * as z from 'zod'
import { Branch as BranchSchema } from '../src/contract/branches.ts'
import { counted } from '../src/lib/counted.ts'
import { type Context, defineTool } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { ifOffered } from '../src/mcp/resolve/offered.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { fields, pick, rows, teamLine } from '../src/mcp/result/output.ts'
import { sentencesOffered } from '../src/mcp/surface/naming.ts'
import {
  changeRow,
  changeRows,
  conflictRow,
  conflictRows,
  proposalRow,
  proposalRows,
  type LinkProposal,
} from './support/branches/rows.ts'
import { readCriterionNames } from './support/branches/criterion-names.ts'
import { coverageWords, gateWords } from './support/branches/merge-facts.ts'
import { readPreview, type MergePreview } from './support/branches/merge-preview.ts'
import { readSubject, type BranchSubject } from './support/branches/subject.ts'
import { keyOrId, rowTitle } from './support/columns.ts'
import { cutNames, kept } from './support/cuts.ts'
import { testReport } from './support/test-names.ts'
import { countWords } from './support/words.ts'

/** The most rows of each list in one answer. */
const ROWS = 60

export const reviewBranch = defineTool({
  name: 'review_branch',
  toolset: 'default',
  effect: 'read',
  title: 'Review a quality branch',
  description:
    'Review a quality branch before merge: drafts, which of them contradict what exists, conflicts to decide, open link ' +
    'proposals, effect on coverage and gate. Read-only; merging is in the branches toolset.',
  input: z.strictObject({
    product: parameters.Product,
    branch: parameters.RequiredBranch,
    detail: parameters.Detail,
  }),
  output: z.object({
    branch: fields({ ...pick(BranchSchema, 'id', 'name', 'state', 'git_ref'), created_by: teamLine }),
    conflicts: conflictRows.optional(),
    changes: changeRows.optional(),
    proposals: proposalRows.optional(),
    duplicates: rows({
      id: z.string().optional(),
      like: z.string(),
      title: rowTitle,
      similarity: z.number(),
    }).optional(),
    also_changed_in: rows({ id: z.string().optional(), branch: teamLine, fields: z.string(), by: teamLine }).optional(),
    warnings: z.array(z.string()).optional(),
  }),
  cuts: [
    { path: 'duplicates', least: 3 },
    { path: 'proposals', least: 5 },
    { path: 'changes', least: 10 },
    { path: 'conflicts', least: 5 },
  ],

  async run({ product: given, branch: named, detail }, context) {
    const subject = await readSubject({ product: given, branch: named }, context)
    const [preview, proposals] = await Promise.all([readPreview(subject, context), readProposals(subject, context)])
    const review = { ...subject, preview, proposals }
    const { branch, product } = subject
    const { changes = [], conflicts = [], duplicates = [], also_changed_in: also = [], warnings = [] } = preview
    const decided = new Set(conflicts.filter(({ type }) => type === 'CONFLICT_TYPE_DECISION').map(({ key }) => key))
    const criterionNames = await readCriterionNames(subject, proposals, context)
    const tests = await Promise.all(proposals.map((proposal) => proposalRow(proposal, criterionNames, context)))
    return {
      answer: sentence(review, context),
      product,
      data: {
        branch: { ...branch, created_by: branch.created_by?.display_name },
        conflicts: conflicts.slice(0, ROWS).map(conflictRow),
        changes: changes.slice(0, ROWS).map((change) => changeRow(change, { isFull: detail === 'full', decided })),
        proposals: tests.slice(0, ROWS).map(({ row }) => row),
        duplicates: duplicates.map(({ requirement, existing, similarity }) => ({
          id: requirement && keyOrId(requirement),
          like: existing && keyOrId(existing),
          title: existing?.title,
          similarity,
        })),
        also_changed_in: also.map(({ entity_id: id, key, branch: other, fields: names = [], author }) => ({
          id: keyOrId({ id, key }),
          branch: other?.name,
          fields: names.join(', '),
          by: author?.display_name,
        })),
        warnings: warnings.flatMap(({ message }) => message ?? []),
      },
      untrusted: { ...testReport, content: { proposals: tests.map(({ reported }) => reported) } },
      cut: cutNames(preview.truncation_signals ?? [], {
        changes: kept(changes, ROWS),
        conflicts: kept(conflicts, ROWS),
      }),
      next: nextSteps(review),
    }
  },
})

const DECIDES = 'The user decides the link proposals, with decide_link_proposals.'

interface Review extends BranchSubject {
  preview: MergePreview
  proposals: readonly LinkProposal[]
}

/** The proposals that wait for a decision; none where this deployment has no such list. */
async function readProposals({ branch }: BranchSubject, { api, signal }: Context): Promise<readonly LinkProposal[]> {
  const pending = await ifOffered(api.listLinkProposals({ branch_id: branch.id, page_size: ROWS }, { signal }))
  return pending?.link_proposals ?? []
}

function sentence({ preview, label, proposals }: Review, { offers }: Context): string {
  const { changes = [], conflicts = [], link_proposals: counts } = preview
  const count = (operation: string) =>
    changes.filter((change) => change.operation === `CHANGE_OPERATION_${operation}`).length
  const what = countWords([
    [count('CREATE'), 'thing', 'created'],
    [count('MODIFY') + count('MOVE'), 'thing', 'changed'],
    [count('DELETE'), 'thing', 'deleted'],
    [counts?.pending, 'link proposal', 'to decide'],
    [counts?.approved, 'link proposal', 'approved'],
  ])
  const decisions = new Set(conflicts.map(({ entity_id: id, key }) => keyOrId({ id, key }))).size
  const ready =
    decisions === 0 ? 'can be merged' : `needs decisions on ${counted(decisions, 'thing')} before it can be merged`
  const open = proposals.length === 0 ? '' : ' without the open link proposals'
  const effects = Object.entries({ Coverage: coverageWords(preview), Gate: gateWords(preview) }).flatMap(
    ([name, words]) => (words === undefined ? [] : [` ${name}${open}: ${words}.`]),
  )
  const person = sentencesOffered('A person merges it, with merge_quality_branch.', offers) || 'A person merges it.'
  const links = proposals.length === 0 ? '' : sentencesOffered(DECIDES, offers)
  return [`Quality branch ${label} ${ready}: ${what || 'no changes'}.${effects.join('')}`, links, person]
    .filter(Boolean)
    .join(' ')
}

/** No call that writes is proposed next to the titles of tests, which are an outsider's text: the sentence names the tools. */
function nextSteps({ args, preview, proposals }: Review) {
  const { conflicts = [], changes = [] } = preview
  if (proposals.length > 0 || changes.length === 0) return []
  const why = conflicts.length === 0 ? 'asks the user to confirm the merge' : 'lists what the user has to decide first'
  return [nextCall('merge_quality_branch', { ...args, reason: 'as the user decided' }, why)]
}
