import type { EndpointName, InputOf } from '../../../contract/index.ts'
import { listProposalRows } from '../../branches/proposals/list.ts'
import { proposeLink, withdrawLink, type ProposedLink } from '../../branches/proposals/propose.ts'
import { readReviews, reviewProposals } from '../../branches/proposals/review.ts'
import { viewProposals } from '../../branches/proposals/view.ts'
import { readOnBranchInside, requireBranchFor } from '../../branches/overlay/read.ts'
import { requireBranch, requireOpenBranch } from '../../branches/store/branches.ts'
import { notFound } from '../../../errors.ts'
import { readLinks } from '../../quality/cases/link-store.ts'
import { viewLinks } from '../../quality/cases/link-view.ts'
import { invalid } from '../../quality/requirements/content.ts'
import type { Call, Handlers } from '../../shared/context.ts'
import { readPage } from '../../shared/paging.ts'
import { linkHandlers } from '../quality/links.ts'

/** Links on a branch are proposals until its merge (contract §5); without `branch_id` a link is made at once. */
export const proposalHandlers = {
  async linkTest(input, call) {
    const { branch_id: branchId = '' } = input
    if (branchId === '') return linkHandlers.linkTest(input, call)
    if (input.confirm === true)
      throw invalid([{ field: 'confirm', description: 'is for the main tree: omit branch_id' }])
    return call.db.write(async (rows, prepare) => {
      const found = await requireBranchFor({ rows, call }, branchId, { id: input.test_id })
      const { link, isThere } = await readOnBranchInside({ rows, prepare, call }, found, (at) => tryLink(input, at))
      const ends = { testId: link.test_id, requirementId: link.requirement_id }
      await withdrawLink(rows, call, found.branch, { ...ends, action: 'LINK_PROPOSAL_ACTION_REMOVE' })
      if (isThere) {
        // What waits for a review would replace the link that the caller has just chosen.
        await withdrawLink(rows, call, found.branch, { ...ends, action: 'LINK_PROPOSAL_ACTION_ADD', isPending: true })
        return { link, proposal: null }
      }
      const { proposal } = await proposeLink(rows, call, found.branch, {
        ...ends,
        action: 'LINK_PROPOSAL_ACTION_ADD',
        role: link.role,
        criterionIds: link.criterion_ids,
        origin: callOrigin(call),
        confidence: input.confidence,
        rationale: input.rationale,
      })
      const [body] = await viewProposals(rows, branchId, [proposal])
      return { link: null, proposal: body! }
    })
  },

  async unlinkTest(input, call) {
    const { branch_id: branchId = '', test_id: testId, requirement_id: requirementId, reason } = input
    if (branchId === '') return linkHandlers.unlinkTest(input, call)
    return call.db.write(async (rows, prepare) => {
      const found = await requireBranchFor({ rows, call }, branchId, { id: testId })
      const ends = { testId, requirementId }
      const isWithdrawn = await withdrawLink(rows, call, found.branch, { ...ends, action: 'LINK_PROPOSAL_ACTION_ADD' })
      const links = await readOnBranchInside({ rows, prepare, call }, found, (at) =>
        readLinks(at.db.read, { test_id: testId }),
      )
      const link = links.find(
        ({ requirement_id, product_id }) => requirement_id === requirementId && product_id === found.product.id,
      )
      if (link === undefined && isWithdrawn) return {}
      if (link === undefined) throw notFound('link', requirementId, 'list the links of the test')
      const removal: ProposedLink = {
        ...ends,
        action: 'LINK_PROPOSAL_ACTION_REMOVE',
        role: 'LINK_ROLE_VERIFIES',
        criterionIds: [],
        origin: callOrigin(call),
        rationale: reason,
      }
      await proposeLink(rows, call, found.branch, removal)
      return {}
    })
  },

  async listLinkProposals(input, call) {
    const { db, principal } = call
    const { branch } = await requireBranch(db.read, principal, input.branch_id)
    const query = { branchId: branch.id, filter: input, page: readPage(call, input) }
    const { rows, paging } = await listProposalRows(db.read, query)
    return { link_proposals: await viewProposals(db.read, branch.id, rows), ...paging }
  },

  async reviewLinkProposals(input, call) {
    const reviews = readReviews(input)
    return call.db.write(async (rows) => {
      const { branch } = await requireOpenBranch(rows, call.principal, input.branch_id)
      const { reviewed, failures } = await reviewProposals(rows, call, branch.id, reviews)
      const count = (state: string) => reviewed.filter((one) => one.state === `LINK_PROPOSAL_STATE_${state}`).length
      return {
        link_proposals: await viewProposals(rows, branch.id, reviewed),
        approved_count: count('APPROVED'),
        rejected_count: count('REJECTED'),
        failures,
      }
    })
  },
} satisfies Partial<Handlers<EndpointName>>

/** Makes the link on the replayed branch, which checks it; `isThere` when the branch has it already, then as it was. */
async function tryLink(input: InputOf<'linkTest'>, call: Call) {
  const before = await readLinks(call.db.read, { test_id: input.test_id })
  const { link } = await linkHandlers.linkTest(input, call)
  const known = before.find(({ requirement_id }) => requirement_id === link.requirement_id)
  const isThere = known?.role === link.role && known.criterion_ids === JSON.stringify(link.criterion_ids)
  const [unchanged] = isThere ? await viewLinks(call.db.read, [known]) : []
  return { link: unchanged ?? link, isThere }
}

function callOrigin({ principal }: Call): ProposedLink['origin'] {
  return principal.tokenKind === 'agent' ? 'LINK_ORIGIN_AGENT' : 'LINK_ORIGIN_MANUAL'
}
