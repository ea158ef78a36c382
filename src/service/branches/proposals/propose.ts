import { isDeepStrictEqual } from 'node:util'
import type { Selectable } from 'kysely'
import type * as z from 'zod'
import type { LinkOrigin, LinkProposalAction, LinkRole } from '../../../contract/links.ts'
import type { Writing } from '../../shared/context.ts'
import type { Rows } from '../../sql/database.ts'
import type { LinkProposalRow } from '../../sql/schema-branches.ts'
import { audit } from '../../workspace/audit.ts'
import { readBase } from './base.ts'

export type StoredProposal = Selectable<LinkProposalRow>

/** A link to add or to remove. */
export interface ProposedLink {
  testId: string
  requirementId: string
  action: z.output<typeof LinkProposalAction>
  role: z.output<typeof LinkRole>
  criterionIds: readonly string[]
  origin: z.output<typeof LinkOrigin>
  /** Default 1. */
  confidence?: number | undefined
  rationale?: string | undefined
  signals?: readonly { name: string; value: number }[] | undefined
}

/**
 * Proposes a link on a branch. Proposed again, it is the same proposal: what it says is replaced, and it is pending again
 * only if its role or criteria are others, or the main tree changed the link since; one that says the same stays as it is.
 */
export async function proposeLink(
  rows: Rows,
  call: Writing,
  branch: { id: string; product_id: number },
  link: ProposedLink,
): Promise<{ proposal: StoredProposal; isNew: boolean }> {
  const { testId: test_id, requirementId: requirement_id, action } = link
  const before = await rows
    .selectFrom('link_proposal')
    .selectAll()
    .where('branch_id', '=', branch.id)
    .where('test_id', '=', test_id)
    .where('requirement_id', '=', requirement_id)
    .where('action', '=', action)
    .executeTakeFirst()
  const said = {
    role: link.role,
    criterion_ids: JSON.stringify(link.criterionIds),
    confidence: link.confidence ?? before?.confidence ?? 1,
    rationale: link.rationale ?? before?.rationale ?? '',
    signals: link.signals === undefined ? (before?.signals ?? '[]') : JSON.stringify(link.signals),
    base: await readBase(rows, { test_id, requirement_id }),
  }
  if (before !== undefined && isDeepStrictEqual(said, pickSaid(before))) return { proposal: before, isNew: false }
  await touchBranch(rows, call, branch.id)
  if (before !== undefined) {
    const isOther =
      before.role !== said.role ||
      before.criterion_ids !== said.criterion_ids ||
      (before.base !== null && before.base !== said.base)
    const pending = { state: 'LINK_PROPOSAL_STATE_PENDING', reviewed_by: null, reviewed_at: null, review_note: '' }
    const proposal = await rows
      .updateTable('link_proposal')
      .set({ ...said, ...(isOther && pending) })
      .where('id', '=', before.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    await auditProposal(rows, call, before, proposal)
    return { proposal, isNew: false }
  }
  const proposal = await rows
    .insertInto('link_proposal')
    .values({
      id: call.newId(),
      branch_id: branch.id,
      product_id: branch.product_id,
      test_id,
      requirement_id,
      action,
      ...said,
      origin: link.origin,
      created_by: JSON.stringify(call.actor),
      created_at: call.now(),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await auditProposal(rows, call, undefined, proposal)
  return { proposal, isNew: true }
}

function pickSaid({ role, criterion_ids, confidence, rationale, signals, base }: StoredProposal) {
  return { role, criterion_ids, confidence, rationale, signals, base }
}

/** Withdraws a proposal of a link, with `isPending` only one that nobody has reviewed; returns whether there was one. */
export async function withdrawLink(
  rows: Rows,
  call: Writing,
  branch: { id: string },
  {
    testId,
    requirementId,
    action,
    isPending = false,
  }: Pick<ProposedLink, 'testId' | 'requirementId' | 'action'> & { isPending?: boolean },
): Promise<boolean> {
  const removed = await rows
    .deleteFrom('link_proposal')
    .where('branch_id', '=', branch.id)
    .where('test_id', '=', testId)
    .where('requirement_id', '=', requirementId)
    .where('action', '=', action)
    .$if(isPending, (query) => query.where('state', '=', 'LINK_PROPOSAL_STATE_PENDING'))
    .returningAll()
    .executeTakeFirst()
  if (removed === undefined) return false
  await touchBranch(rows, call, branch.id)
  await auditProposal(rows, call, removed, undefined)
  return true
}

/** Records how a proposal was made, changed or withdrawn: undefined is no proposal. */
export async function auditProposal(
  rows: Rows,
  call: Writing,
  before: StoredProposal | undefined,
  after: StoredProposal | undefined,
): Promise<void> {
  const verb = before === undefined ? 'create' : after === undefined ? 'delete' : 'update'
  const resourceId = (after ?? before)?.id ?? ''
  await audit(rows, call, { verb, resourceType: 'link_proposal', resourceId, before, after })
}

/** Counts a change of a branch's link proposals in its head revision. */
export async function touchBranch(rows: Rows, call: Pick<Writing, 'now'>, branchId: string): Promise<void> {
  await rows
    .updateTable('branch')
    .set((eb) => ({ head_revision: eb('head_revision', '+', 1), updated_at: call.now() }))
    .where('id', '=', branchId)
    .execute()
}
