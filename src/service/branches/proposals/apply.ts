import { LinkOrigin, LinkRole } from '../../../contract/links.ts'
import { refreshCoverage } from '../../quality/coverage/refresh.ts'
import { noteUnlinking } from '../../quality/cases/link-exclusions.ts'
import type { StoredLink } from '../../quality/cases/link-view.ts'
import { putLink } from '../../quality/cases/links.ts'
import { readCriterionIds } from '../../quality/coverage/links.ts'
import type { Writing } from '../../shared/context.ts'
import type { Rows } from '../../sql/database.ts'
import { readTexts } from '../../sql/json.ts'
import type { Applying } from '../apply/types.ts'
import { isOther, noLink, readBase } from './base.ts'
import type { StoredProposal } from './propose.ts'

/** The approved proposals of a branch, oldest first. */
export function readApproved(rows: Rows, branchId: string): Promise<StoredProposal[]> {
  return rows
    .selectFrom('link_proposal')
    .selectAll()
    .where('branch_id', '=', branchId)
    .where('state', '=', 'LINK_PROPOSAL_STATE_APPROVED')
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** `kept`: the main tree changed the link since it was proposed, and its link stays. `impossible`: an end of it is missing. */
export type AppliedProposal = { before: StoredLink | undefined; after: StoredLink | undefined } | 'kept' | 'impossible'

/**
 * Makes or removes the link of a proposal, without an audit row; returns the link before and after. `sameTests` are the tests
 * to use instead of those that the branch created, `changed` the proposals of `readChangedSince`.
 */
export async function applyProposal(
  { rows, prepare }: Applying,
  writing: Writing,
  proposal: StoredProposal,
  { sameTests, changed }: { sameTests: ReadonlyMap<string, string>; changed: ReadonlySet<string> },
): Promise<AppliedProposal> {
  const testId = sameTests.get(proposal.test_id) ?? proposal.test_id
  const test = await rows
    .selectFrom('test')
    .selectAll()
    .where('id', '=', testId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  const requirement = await rows
    .selectFrom('requirement')
    .selectAll()
    .where('id', '=', proposal.requirement_id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (test === undefined || requirement === undefined) return 'impossible'
  if (changed.has(proposal.id)) return 'kept'
  const twin = testId === proposal.test_id ? noLink : await readBase(rows, { ...proposal, test_id: testId })
  if (isOther(proposal, twin, noLink)) return 'kept'
  if (proposal.action === 'LINK_PROPOSAL_ACTION_REMOVE') {
    const removed = await rows
      .deleteFrom('test_link')
      .where('test_id', '=', testId)
      .where('requirement_id', '=', requirement.id)
      .where('archived_at', 'is', null)
      .returningAll()
      .executeTakeFirst()
    if (removed === undefined) return 'impossible'
    await noteUnlinking(rows, writing, removed)
    await refreshCoverage(rows, prepare, { productId: test.product_id, now: writing.now() }, [requirement.id])
    return { before: removed, after: undefined }
  }
  if (requirement.kind === 'REQUIREMENT_KIND_GROUP') return 'impossible'
  const known = readCriterionIds(requirement.acceptance_criteria)
  const wanted = readTexts(proposal.criterion_ids)
  const criterionIds = wanted.filter((id) => known.includes(id))
  // Criteria that are all gone must not become the whole requirement.
  if (wanted.length > 0 && criterionIds.length === 0) return 'impossible'
  return putLink(rows, prepare, writing, {
    test,
    requirement,
    role: LinkRole.parse(proposal.role),
    criterionIds,
    origin: LinkOrigin.parse(proposal.origin),
    confidence: proposal.confidence,
  })
}
