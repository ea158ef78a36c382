import { sql } from 'kysely'
import type { InputOf } from '../../../contract/index.ts'
import { cutPage, type Page } from '../../shared/paging.ts'
import { countRows } from '../../sql/count-rows.ts'
import type { Rows } from '../../sql/database.ts'

type Filter = Pick<InputOf<'listLinkProposals'>, 'state' | 'min_confidence' | 'test_id' | 'requirement_id'>

/** One page of the link proposals of a branch that match the filter, most confident first; pending ones by default. */
export async function listProposalRows(
  rows: Rows,
  { branchId, filter, page }: { branchId: string; filter: Filter; page: Page },
) {
  const { state = ['LINK_PROPOSAL_STATE_PENDING'], min_confidence: least, test_id, requirement_id } = filter
  const { after } = page
  const all = rows
    .selectFrom('link_proposal')
    .where('branch_id', '=', branchId)
    .where('state', 'in', state)
    .$if(least !== undefined, (query) => query.where('confidence', '>=', least ?? 0))
    .$if(test_id !== undefined, (query) => query.where('test_id', '=', test_id ?? ''))
    .$if(requirement_id !== undefined, (query) => query.where('requirement_id', '=', requirement_id ?? ''))
  const finding = all
    .selectAll()
    .$if(after !== undefined, (paged) =>
      paged.where(sql<boolean>`(-confidence, id) > (${-Number(after?.sortValue)}, ${after?.id})`),
    )
    .orderBy('confidence', 'desc')
    .orderBy('id')
    .limit(page.size + 1)
    .execute()
  const [total, found] = await Promise.all([countRows(all), finding])
  return cutPage(page, found, total, ({ confidence, id }) => ({ sortValue: confidence, id }))
}
