import * as z from 'zod'
import { Branch as BranchSchema } from '../src/contract/branches.ts'
import { stateDigest } from '../src/mcp/confirm/state.ts'
import { type Context, defineTool } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { mayBeId } from '../src/mcp/resolve/ids.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { fields, flag, pick, rows, teamLine, upTo } from '../src/mcp/result/output.ts'
import { describeValue, TeachingError } from '../src/mcp/result/teach.ts'
import {
  planDecisions,
  proposalWords,
  readProposals,
  sendDecisions,
  type Decided,
  type Decision,
} from './support/branches/proposals.ts'
import { readSubject, type BranchSubject } from './support/branches/subject.ts'
import { branchSentence } from './support/named-branch.ts'
import { countWords, PREVIEW } from './support/words.ts'
import { READ_BACK, UNKNOWN_ROWS } from './support/writes/outcome.ts'

const proposalIds = z.array(z.string()).max(200).optional().describe('Proposal ids. From review_branch.')

const input = z.strictObject({
  product: parameters.Product,
  branch: parameters.RequiredBranch,
  accept: proposalIds,
  reject: proposalIds,
  dry_run: parameters.DryRun,
  confirmation: parameters.Confirmation,
})
type Arguments = z.output<typeof input>

export const decideLinkProposals = defineTool({
  name: 'decide_link_proposals',
  toolset: 'branches',
  effect: 'update',
  unconfirmed: 'decide at most 10 at a time, as the user decided each',
  title: 'Decide link proposals',
  description: 'Accept or reject link proposals of a quality branch, as the user decided.',
  input,
  output: z.object({
    dry_run: flag.optional(),
    branch: fields({ id: z.string(), ...pick(BranchSchema, 'name') }),
    rows: rows({ id: z.string(), link: z.string(), outcome: z.string(), error: upTo(teamLine, 200) }),
    still_open: z.int().optional(),
  }),
  cuts: [{ path: 'rows' }],

  async confirm(args, context) {
    const { subject, planned } = await readPlan(args, context)
    const named = (decision: Decision) =>
      planned.filter((row) => row.decision === decision).map((row) => proposalWords(row.proposal, row.id))
    const asks = `Decide ${String(planned.length)} link proposals of quality branch ${subject.label}`
    const facts = [
      { label: 'accept', value: named('accept').join('; ') || 'none' },
      { label: 'reject', value: named('reject').join('; ') || 'none' },
      { label: 'effect', value: 'links change when the branch is merged' },
    ]
    const states = planned.map(({ id, decision, proposal }) => [id, decision, proposal?.state])
    return { asks, product: subject.product, facts, key: asks, undo: UNDO, state: stateDigest(states) }
  },

  async run({ dry_run: dryRun, ...args }, context) {
    const { subject, planned, open } = await readPlan({ ...args, dry_run: dryRun }, context)
    if (!dryRun) context.countChanges(planned.map(({ id }) => id))
    const { rows: decided, isReadBack } = dryRun
      ? { rows: planned, isReadBack: false }
      : await sendDecisions(subject, planned, context)
    const isUnknown = decided.some(({ outcome }) => outcome === 'unknown')
    return {
      answer:
        `${dryRun ? PREVIEW : ''}${outcomeWords(decided)}.${isReadBack ? READ_BACK : ''}` +
        `${isUnknown ? ` ${UNKNOWN_ROWS}` : ''}${branchSentence(subject.branch)}`,
      product: subject.product,
      data: {
        dry_run: dryRun,
        branch: subject.branch,
        rows: decided.map(({ id, proposal, outcome, error }) => ({
          // What is not an id may be an outsider's text that was pasted: only its shape is shown.
          id: proposal === undefined && !mayBeId(id) ? describeValue(id) : id,
          link: proposal && proposalWords(proposal, id),
          outcome,
          error,
        })),
        still_open: dryRun ? undefined : open.filter((id) => !isDecided(id, decided)).length,
      },
      next: dryRun ? [] : nextSteps(decided, subject, context),
    }
  },
})

const UNDO = 'the same tool decides them the other way until the merge'

/** What the call decides, and the ids of all that nobody has decided. */
async function readPlan({ accept = [], reject = [], ...named }: Arguments, context: Context) {
  const subject = await readSubject(named, context)
  const both = accept.find((id) => reject.includes(id))
  if (accept.length + reject.length === 0 || both !== undefined)
    throw new TeachingError('invalid_argument', 'give ids in accept or in reject', {
      sent: both === undefined ? 'neither accept nor reject' : 'the same id in accept and in reject',
      next: nextCall('review_branch', subject.args, 'lists the open proposals'),
    })
  const proposals = await readProposals(subject, context)
  const wanted = [
    ...[...new Set(accept)].map((id) => ({ id, decision: 'accept' as const })),
    ...[...new Set(reject)].map((id) => ({ id, decision: 'reject' as const })),
  ]
  if (!wanted.some(({ id }) => proposals.has(id))) throw unknownProposals(wanted.length, subject)
  const open = [...proposals.values()]
    .filter(({ state }) => state === 'LINK_PROPOSAL_STATE_PENDING')
    .map(({ id }) => id)
  return { subject, planned: planDecisions(wanted, proposals), open }
}

function unknownProposals(count: number, { args }: BranchSubject): TeachingError {
  return new TeachingError('not_found', 'the branch has no such link proposal', {
    sent: `${String(count)} in accept and reject`,
    expected: 'ids of its link proposals',
    next: nextCall('review_branch', args, 'lists the open proposals'),
  })
}

function isDecided(id: string, rows: readonly Decided[]): boolean {
  return rows.some((row) => row.id === id && (row.outcome === 'accepted' || row.outcome === 'rejected'))
}

function outcomeWords(rows: readonly Decided[]): string {
  const count = (outcome: Decided['outcome']) => rows.filter((row) => row.outcome === outcome).length
  return countWords([
    [count('accepted'), 'proposal', 'accepted'],
    [count('rejected'), 'proposal', 'rejected'],
    [count('would_accept'), 'proposal', 'would be accepted'],
    [count('would_reject'), 'proposal', 'would be rejected'],
    [count('already'), 'proposal', 'decided so already'],
    [count('not_stated'), 'proposal', 'sent, whose state is not stated'],
    [count('unknown'), 'proposal', 'of unknown outcome'],
    [count('failed'), 'proposal', 'failed'],
  ])
}

/** The review of what was accepted, or the merge where no review is offered; then the call that decides the other way. */
function nextSteps(rows: readonly Decided[], { args }: BranchSubject, { offers }: Context) {
  const undo = undoCall(rows, args)
  if (!rows.some(({ outcome }) => outcome === 'accepted')) return [undo]
  const onward = offers('review_branch')
    ? nextCall('review_branch', args, 'what the merge changes now')
    : nextCall('merge_quality_branch', { ...args, reason: 'as the user decided' }, 'asks the user to confirm the merge')
  return [onward, undo]
}

/** The call that decides the other way what this one decided. */
function undoCall(rows: readonly Decided[], subject: BranchSubject['args']) {
  const ids = (outcome: Decided['outcome']) => rows.filter((row) => row.outcome === outcome).map(({ id }) => id)
  const [accepted, rejected] = [ids('accepted'), ids('rejected')]
  if (accepted.length + rejected.length === 0) return undefined
  const args = {
    ...subject,
    ...(rejected.length > 0 && { accept: rejected }),
    ...(accepted.length > 0 && { reject: accepted }),
  }
  return nextCall('decide_link_proposals', args, 'decides them the other way, if the user wants that')
}
