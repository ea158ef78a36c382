import type { Selectable } from 'kysely'
import { notFound } from '../../../errors.ts'
import type { Principal } from '../../shared/context.ts'
import { computeEtag } from '../../shared/etag.ts'
import { cutPage, type Page } from '../../shared/paging.ts'
import { countRows } from '../../sql/count-rows.ts'
import type { Rows } from '../../sql/database.ts'
import type { AgentRunRow } from '../../sql/schema-agents.ts'
import { requireAccess } from '../../workspace/access.ts'
import type { StoredProduct } from '../../workspace/products.ts'

export type StoredRun = Selectable<AgentRunRow>

/** The run with that id and its product; `not_found` also when the principal is not a member of its workspace. */
export async function requireRun(
  rows: Rows,
  principal: Principal,
  id: string,
): Promise<{ run: StoredRun; product: StoredProduct }> {
  const missing = () => notFound('agent run', id, 'list the runs of an agent config')
  const { row: run, product } = await requireAccess(rows, principal, { table: 'agent_run', id }, missing)
  return { run, product }
}

/** The tag of a run, which changes with everything that a reader of the run can see. */
export function runEtag({ id, revision }: StoredRun): string {
  return computeEtag(id, revision)
}

/** One page of the runs of a config, newest first. */
export async function listRunRows(
  rows: Rows,
  { configId, state, page }: { configId: string; state: string | undefined; page: Page },
) {
  const { after } = page
  const all = rows
    .selectFrom('agent_run')
    .where('agent_config_id', '=', configId)
    .$if(state !== undefined, (some) => some.where('state', '=', state ?? ''))
  const finding = all
    .selectAll()
    .$if(after !== undefined, (paged) => paged.where('seq', '<', Number(after?.sortValue)))
    .orderBy('seq', 'desc')
    .limit(page.size + 1)
    .execute()
  const [total, found] = await Promise.all([countRows(all), finding])
  return cutPage(page, found, total, ({ seq, id }) => ({ sortValue: seq, id }))
}
