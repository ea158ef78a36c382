import { sql } from 'kysely'
import { cutPage, textCursor, type Page } from '../shared/paging.ts'
import { countRows } from '../sql/count-rows.ts'
import type { Rows } from '../sql/database.ts'

/** One page of the workspaces that the user is a member of, by name, with the role and the number of products. */
export async function listWorkspaceRows(rows: Rows, { userId, page }: { userId: string; page: Page }) {
  const after = await textCursor(page, (id) =>
    rows.selectFrom('workspace').select('name as text').where('id', '=', id).executeTakeFirst(),
  )
  const mine = rows
    .selectFrom('workspace')
    .innerJoin('workspace_member', 'workspace_member.workspace_id', 'workspace.id')
    .where('workspace_member.user_id', '=', userId)
  const finding = mine
    .select(['workspace.id', 'workspace.slug', 'workspace.name', 'workspace_member.role'])
    .select(['workspace.created_at', 'workspace.updated_at'])
    .select(sql<number>`(select count(*) from product where product.workspace_id = workspace.id)`.as('product_count'))
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(workspace.name, workspace.id) > (${after?.sortValue}, ${after?.id})`),
    )
    .orderBy('workspace.name')
    .orderBy('workspace.id')
    .limit(page.size + 1)
    .execute()
  const [total, found] = await Promise.all([countRows(mine), finding])
  return cutPage(page, found, total, ({ name, id }) => ({ sortValue: name, id }))
}

/** One page of a workspace's products by name, or the one with that slug. */
export async function listProductRows(
  rows: Rows,
  { workspaceId, slug, page }: { workspaceId: string; slug: string | undefined; page: Page },
) {
  const after = await textCursor(page, (id) =>
    rows.selectFrom('product').select('name as text').where('id', '=', Number(id)).executeTakeFirst(),
  )
  const all = rows
    .selectFrom('product')
    .where('workspace_id', '=', workspaceId)
    .$if(slug !== undefined, (query) => query.where('slug', '=', slug ?? ''))
  const finding = all
    .selectAll()
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(name, id) > (${after?.sortValue}, ${Number(after?.id)})`),
    )
    .orderBy('name')
    .orderBy('id')
    .limit(page.size + 1)
    .execute()
  const [total, found] = await Promise.all([countRows(all), finding])
  return cutPage(page, found, total, ({ name, id }) => ({ sortValue: name, id: String(id) }))
}
