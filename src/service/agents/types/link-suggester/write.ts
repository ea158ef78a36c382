import { sql } from 'kysely'
import { proposeLink } from '../../../branches/proposals/propose.ts'
import { createBranch, findFreeName, type StoredBranch } from '../../../branches/store/branches.ts'
import { readStored } from '../../../branches/store/rows.ts'
import { counted } from '../../../../lib/counted.ts'
import type { Rows } from '../../../sql/database.ts'
import type { AgentContext, AgentWrite } from '../../define.ts'
import { requireNamedBranch } from '../../named.ts'
import type { Candidate } from './compare.ts'
import { readSettled } from './settled.ts'
import { chooseRole, listSignals } from './view.ts'
import { explain } from './words.ts'

const BRANCH_NAME = 'Link suggestions'
const DESCRIPTION =
  'Links that the agent link_suggester proposes. They count once they are accepted and the branch is merged.'

export interface Drafted {
  branch: StoredBranch
  isNew: boolean
  proposals: readonly Candidate[]
}

type Drafting = Pick<AgentContext, 'call' | 'product'>

/**
 * Proposes links on the branch that is named, else on one of an earlier run that is still untouched, else on a new one.
 * Pairs that were linked, decided or deleted since they were compared are left out; undefined when none is left.
 */
export async function draftProposals(
  { rows, action }: AgentWrite,
  { call, product }: Drafting,
  { chosen, branch: named }: { chosen: readonly Candidate[]; branch: string | undefined },
): Promise<Drafted | undefined> {
  const proposals = await keepOpen(rows, product.id, chosen)
  if (proposals.length === 0) return undefined
  const { branch, isNew } = await findBranch(rows, { call, product }, named)
  if (isNew) action(`Created quality branch "${branch.name}".`, { branch_id: branch.id, name: branch.name })
  const ids: string[] = []
  for (const candidate of proposals) {
    const { proposal } = await proposeLink(rows, call, branch, {
      testId: candidate.test.id,
      requirementId: candidate.requirement.id,
      action: 'LINK_PROPOSAL_ACTION_ADD',
      role: chooseRole(candidate),
      criterionIds: candidate.criterionIds,
      origin: 'LINK_ORIGIN_AGENT',
      confidence: candidate.confidence,
      rationale: explain(candidate),
      signals: listSignals(candidate),
    })
    ids.push(proposal.id)
  }
  const message = `Proposed ${counted(ids.length, 'link')} on quality branch "${branch.name}".`
  action(message, { branch_id: branch.id, count: ids.length, proposal_ids: ids })
  return { branch, isNew, proposals }
}

/** The candidates whose test and requirement still exist and about which nothing was decided. */
async function keepOpen(rows: Rows, productId: number, chosen: readonly Candidate[]): Promise<Candidate[]> {
  const settled = await readSettled(
    rows,
    productId,
    chosen.map(({ test }) => test),
  )
  const stored = await readStored(
    rows,
    chosen.flatMap(({ test, requirement }) => [test.id, requirement.id]),
  )
  const live = new Set(
    [...stored.tests, ...stored.requirements].flatMap((row) => (row.deleted_at === null ? [row.id] : [])),
  )
  return chosen.filter(
    ({ test, requirement }) =>
      live.has(test.id) && live.has(requirement.id) && settled.find(test, requirement) === undefined,
  )
}

async function findBranch(rows: Rows, { call, product }: Drafting, named: string | undefined) {
  if (named !== undefined) return { branch: await requireNamedBranch({ rows, call, product }, named), isNew: false }
  const untouched = await findUntouched(rows, product.id)
  if (untouched !== undefined) return { branch: untouched, isNew: false }
  const name = await findFreeName(rows, product.id, BRANCH_NAME)
  // The actor of a run is the run.
  const source = { kind: 'BRANCH_SOURCE_AGENT' as const, agent_run_id: call.actor.id }
  return { branch: await createBranch(rows, call, product, { name, description: DESCRIPTION, source }), isNew: true }
}

/**
 * The newest open branch of an earlier run that has not been changed, reviewed or added to since. Proposals that
 * are added to a branch under review would not be noticed.
 */
function findUntouched(rows: Rows, productId: number): Promise<StoredBranch | undefined> {
  return rows
    .selectFrom('branch')
    .selectAll()
    .where('product_id', '=', productId)
    .where('state', '=', 'BRANCH_STATE_OPEN')
    .where('source_kind', '=', 'BRANCH_SOURCE_AGENT')
    .where('name', 'like', `${BRANCH_NAME}%`)
    .where(
      // Only runs say by which signals they propose.
      sql<boolean>`NOT EXISTS (SELECT 1 FROM branch_change WHERE branch_change.branch_id = branch.id)
        AND NOT EXISTS (SELECT 1 FROM link_proposal AS proposal WHERE proposal.branch_id = branch.id
          AND (proposal.state <> 'LINK_PROPOSAL_STATE_PENDING' OR proposal.signals = '[]'))`,
    )
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
}
