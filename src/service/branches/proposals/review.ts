import type * as z from 'zod'
import type { ReviewDecision } from '../../../contract/links.ts'
import type { InputOf } from '../../../contract/index.ts'
import { invalid } from '../../quality/requirements/content.ts'
import type { Writing } from '../../shared/context.ts'
import { chunks } from '../../sql/chunks.ts'
import type { Rows } from '../../sql/database.ts'
import { audit } from '../../workspace/audit.ts'
import type { EntityName } from '../names.ts'
import { touchBranch, type StoredProposal } from './propose.ts'
import { readEnds } from './view.ts'

interface Review {
  proposalId: string
  decision: z.output<typeof ReviewDecision>
  note: string
}

interface Failure {
  proposal_id: string
  code: string
  message: string
}

/** Reviews of a request: one by one, or one decision for all. Throws `invalid_argument` unless it gives one of both. */
export function readReviews({
  reviews,
  proposal_ids: ids,
  decision,
  note = '',
}: InputOf<'reviewLinkProposals'>): Review[] {
  if (reviews !== undefined && ids === undefined) {
    return reviews.map(({ proposal_id: proposalId, ...review }) => ({ proposalId, note, ...definedNote(review) }))
  }
  if (reviews === undefined && ids !== undefined && decision !== undefined) {
    return ids.map((proposalId) => ({ proposalId, decision, note }))
  }
  throw invalid([{ field: 'reviews', description: 'is required, or proposal_ids with one decision; pass one of both' }])
}

function definedNote({ decision, note }: { decision: Review['decision']; note?: string | undefined }) {
  return note === undefined ? { decision } : { decision, note }
}

/** Reviews link proposals of an open branch, also ones that were reviewed before; a failure leaves the others alone. */
export async function reviewProposals(
  rows: Rows,
  call: Writing,
  branchId: string,
  reviews: readonly Review[],
): Promise<{ reviewed: StoredProposal[]; failures: Failure[] }> {
  const found = await readProposals(
    rows,
    branchId,
    reviews.map(({ proposalId }) => proposalId),
  )
  const ends = await readEnds(rows, branchId, [...found.values()])
  const reviewed = new Map<string, StoredProposal>()
  const failures: Failure[] = []
  for (const review of reviews) {
    const proposal = found.get(review.proposalId)
    const failure = findFailure(review, proposal, ends)
    if (failure === undefined) reviewed.set(review.proposalId, await decide(rows, call, proposal!, review))
    else failures.push({ proposal_id: review.proposalId, ...failure })
  }
  if (reviewed.size > 0) await touchBranch(rows, call, branchId)
  return { reviewed: [...reviewed.values()], failures }
}

async function readProposals(rows: Rows, branchId: string, ids: readonly string[]) {
  const found = new Map<string, StoredProposal>()
  for (const chunk of chunks([...new Set(ids)])) {
    const proposals = await rows
      .selectFrom('link_proposal')
      .selectAll()
      .where('branch_id', '=', branchId)
      .where('id', 'in', chunk)
      .execute()
    for (const proposal of proposals) found.set(proposal.id, proposal)
  }
  return found
}

function findFailure(
  { decision }: Review,
  proposal: StoredProposal | undefined,
  ends: ReadonlyMap<string, EntityName>,
): Omit<Failure, 'proposal_id'> | undefined {
  if (proposal === undefined) {
    return { code: 'LINK_PROPOSAL_NOT_FOUND', message: 'the branch has no such proposal; list its link proposals' }
  }
  const isGone = [proposal.test_id, proposal.requirement_id].some((id) => ends.get(id)?.isGone ?? true)
  if (decision === 'REVIEW_DECISION_APPROVE' && isGone) {
    return { code: 'LINK_TARGET_GONE', message: 'its test or its requirement was deleted; reject the proposal' }
  }
  return undefined
}

async function decide(rows: Rows, call: Writing, before: StoredProposal, { decision, note }: Review) {
  const isApproved = decision === 'REVIEW_DECISION_APPROVE'
  const after = await rows
    .updateTable('link_proposal')
    .set({
      state: isApproved ? 'LINK_PROPOSAL_STATE_APPROVED' : 'LINK_PROPOSAL_STATE_REJECTED',
      reviewed_by: JSON.stringify(call.actor),
      reviewed_at: call.now(),
      review_note: note,
    })
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  await audit(rows, call, { verb: 'review', resourceType: 'link_proposal', resourceId: before.id, before, after })
  return after
}
