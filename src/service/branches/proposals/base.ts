import type { Selectable } from 'kysely'
import { chunks } from '../../sql/chunks.ts'
import type { Rows } from '../../sql/database.ts'
import { readTexts } from '../../sql/json.ts'
import type { LinkProposalRow } from '../../sql/schema-branches.ts'

type StoredProposal = Selectable<LinkProposalRow>

interface Ends {
  test_id: string
  requirement_id: string
}

type Said = Pick<StoredProposal, 'role' | 'criterion_ids'>

/** The link of the main tree as a proposal keeps it: its role and criteria, or `null` without a link. */
export async function readBase(rows: Rows, { test_id, requirement_id }: Ends): Promise<string> {
  const link = await rows
    .selectFrom('test_link')
    .select(['role', 'criterion_ids'])
    .where('test_id', '=', test_id)
    .where('requirement_id', '=', requirement_id)
    .where('archived_at', 'is', null)
    .executeTakeFirst()
  return linkText(link)
}

/**
 * The ids of the proposals whose link in the main tree is another one than when it was proposed, and not the proposed one
 * either. It has to be read before the changes of the branch are applied, which may change links too.
 */
export async function readChangedSince(rows: Rows, proposals: readonly StoredProposal[]): Promise<Set<string>> {
  const links = new Map<string, Said>()
  for (const chunk of chunks([...new Set(proposals.map(({ test_id }) => test_id))])) {
    const found = await rows
      .selectFrom('test_link')
      .select(['test_id', 'requirement_id', 'role', 'criterion_ids'])
      .where('test_id', 'in', chunk)
      .where('archived_at', 'is', null)
      .execute()
    for (const link of found) links.set(place(link), link)
  }
  const changed = proposals.filter(
    (one) => one.base !== null && isOther(one, linkText(links.get(place(one))), one.base),
  )
  return new Set(changed.map(({ id }) => id))
}

/** Whether the link of the main tree, as `readBase` has it, is neither as it was nor as it is proposed. */
export function isOther(proposal: StoredProposal, now: string, base: string): boolean {
  const isRemoval = proposal.action === 'LINK_PROPOSAL_ACTION_REMOVE'
  return now !== base && now !== linkText(isRemoval ? undefined : proposal)
}

/** What `readBase` has without a link. */
export const noLink = linkText(undefined)

function linkText(link: Said | undefined): string {
  if (link === undefined) return 'null'
  return JSON.stringify({ role: link.role, criterion_ids: readTexts(link.criterion_ids).toSorted() })
}

function place({ test_id, requirement_id }: Ends): string {
  return `${test_id}/${requirement_id}`
}
