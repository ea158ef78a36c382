import type { Context } from '../../../src/mcp/define/define.ts'
import { explainNotOffered } from '../../../src/mcp/resolve/offered.ts'
import { everyPage } from '../../../src/mcp/resolve/requests.ts'
import { nextCall } from '../../../src/mcp/result/next-action.ts'
import { describeValue } from '../../../src/mcp/result/teach.ts'
import { keyOrId } from '../columns.ts'
import { failureWords, ifReadable, mayBeDone, unknownOutcome } from '../writes/outcome.ts'
import { explainMissingBranch } from '../named-branch.ts'
import type { BranchSubject } from './subject.ts'

export type Proposal = Awaited<ReturnType<Context['api']['listLinkProposals']>>['link_proposals'][number]

export type Decision = 'accept' | 'reject'

/** One proposal that the caller decides, and what became of it. */
export interface Decided {
  /** As the caller named it. */
  id: string
  decision: Decision
  /** As it was before; undefined where the branch has none of this id. */
  proposal: Proposal | undefined
  outcome: 'accepted' | 'rejected' | 'would_accept' | 'would_reject' | 'already' | 'not_stated' | 'unknown' | 'failed'
  error?: string | undefined
}

/** The state of a proposal after each decision. */
const decidedState = { accept: 'LINK_PROPOSAL_STATE_APPROVED', reject: 'LINK_PROPOSAL_STATE_REJECTED' } as const
const done = { accept: 'accepted', reject: 'rejected' } as const
const wouldDo = { accept: 'would_accept', reject: 'would_reject' } as const
const requested = { accept: 'REVIEW_DECISION_APPROVE', reject: 'REVIEW_DECISION_REJECT' } as const

/** The proposals of a branch that can be decided, by their ids. */
export async function readProposals(
  { branch }: BranchSubject,
  { api, signal }: Context,
): Promise<ReadonlyMap<string, Proposal>> {
  const filter = { branch_id: branch.id, state: [...states] }
  const { rows } = await everyPage(
    (page) => api.listLinkProposals({ ...filter, ...page }, { signal }),
    'link_proposals',
  )
    .catch(explainMissingBranch(branch))
    .catch(explainNotOffered('link proposals', { hint: 'ask the user to decide them in the web interface.' }))
  return new Map(rows.map((row) => [row.id, row]))
}

function isKnownState(state: string): boolean {
  return states.some((known) => known === state)
}

const states = ['LINK_PROPOSAL_STATE_PENDING', ...Object.values(decidedState)] as const

/** Each decision as it would be. One that is made already, or whose proposal does not exist, is not sent. */
export function planDecisions(
  wanted: readonly { id: string; decision: Decision }[],
  proposals: ReadonlyMap<string, Proposal>,
): Decided[] {
  return wanted.map(({ id, decision }) => {
    const proposal = proposals.get(id)
    if (proposal === undefined)
      return { id, decision, proposal, outcome: 'failed', error: 'not_found: no such proposal on this branch' }
    const isThere = proposal.state === decidedState[decision]
    return { id, decision, proposal, outcome: isThere ? 'already' : wouldDo[decision] }
  })
}

/** Sends what is to be decided. Where the reply is lost, the proposals are read again: their states tell. */
export async function sendDecisions(
  subject: BranchSubject,
  planned: readonly Decided[],
  context: Context,
): Promise<{ rows: Decided[]; isReadBack: boolean }> {
  const { api, signal, confirmed } = context
  const open = planned.filter(isToDo)
  if (open.length === 0) return { rows: [...planned], isReadBack: false }
  const request = {
    branch_id: subject.branch.id,
    reviews: open.map(({ id, decision }) => ({ proposal_id: id, decision: requested[decision] })),
    ...(confirmed !== undefined && { request_id: confirmed.nonce }),
  }
  try {
    const answer = await api.reviewLinkProposals(request, { signal })
    const failures = new Map(answer.failures?.map((failure) => [failure.proposal_id, failure]))
    const after = new Map(answer.link_proposals.map((row) => [row.id, row]))
    const settle = (row: Decided): Decided => {
      const failure = failures.get(row.id)
      if (failure !== undefined) return { ...row, outcome: 'failed', error: failure.message ?? failure.code }
      const known = after.get(row.id)
      // It did not fail, but its state may be missing or not known here.
      const isStated = known?.state !== undefined && isKnownState(known.state)
      return isStated ? settled(row, known) : { ...row, outcome: 'not_stated' }
    }
    return { rows: planned.map((row) => (isToDo(row) ? settle(row) : row)), isReadBack: false }
  } catch (error) {
    if (!mayBeDone(error)) return explainMissingBranch(subject.branch)(error)
    const after = await ifReadable(readProposals(subject, context))
    const rows = planned.map((row) => (isToDo(row) ? settled(row, after?.get(row.id), failureWords(error)) : row))
    if (open.every(({ id }) => rows.some((row) => row.id === id && row.outcome === 'unknown'))) {
      const next = nextCall('review_branch', subject.args, 'lists those that are still open')
      throw unknownOutcome(error, { next })
    }
    return { rows, isReadBack: rows.every(({ outcome }) => outcome !== 'unknown') }
  }
}

function isToDo({ outcome }: Decided): boolean {
  return outcome === 'would_accept' || outcome === 'would_reject'
}

/** The row after the write, by the state of its proposal. */
function settled(row: Decided, after: Proposal | undefined, error?: string): Decided {
  const isDone = after?.state === decidedState[row.decision]
  return isDone ? { ...row, outcome: done[row.decision] } : { ...row, outcome: 'unknown', error }
}

/** `TC-7 proves REQ-12`, `TC-7 proves part of REQ-12`, or that the link goes; tests are named by their keys. */
export function proposalWords(proposal: Proposal | undefined, id: string): string {
  if (proposal === undefined) return describeValue(id)
  const { test, requirement, action, role } = proposal
  const [one, other] = [keyOrId(test ?? {}), keyOrId(requirement ?? {})]
  if (action === 'LINK_PROPOSAL_ACTION_REMOVE') return `${one} no longer proves ${other}`
  return `${one} ${roleWords(role)} ${other}`
}

function roleWords(role: Proposal['role']): string {
  if (role === 'LINK_ROLE_PARTIALLY_VERIFIES') return 'proves part of'
  return role === 'LINK_ROLE_EXERCISES' ? 'exercises' : 'proves'
}
