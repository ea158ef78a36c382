import { sql } from 'kysely'
import { WorkspaceRole } from '../../contract/products.ts'
import { notFound } from '../../errors.ts'
import { audit } from '../workspace/audit.ts'
import type { Handlers, Principal } from '../shared/context.ts'
import { insertProduct } from '../workspace/products.ts'
import { viewProducts } from '../workspace/product-view.ts'
import { cutPage, readPage } from '../shared/paging.ts'
import { timestamp } from '../shared/times.ts'

export const productHandlers = {
  async listWorkspaces(input, { db, principal }) {
    const page = readPage(input)
    const { after } = page
    const mine = db.read
      .selectFrom('workspace')
      .innerJoin('workspace_member', 'workspace_member.workspace_id', 'workspace.id')
      .where('workspace_member.user_id', '=', principal.userId)
    const { total } = await mine.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
    const found = await mine
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
    const { rows, paging } = cutPage(page, found, total, ({ name, id }) => ({ sortValue: name, id }))
    const workspaces = rows.map(({ role, created_at, updated_at, ...workspace }) => ({
      ...workspace,
      role: WorkspaceRole.parse(role),
      created_at: timestamp(created_at),
      updated_at: timestamp(updated_at),
    }))
    return { workspaces, ...paging }
  },

  async createProduct({ workspace_id: workspaceId, ...facts }, call) {
    requireMember(call.principal, workspaceId)
    return call.db.write(async (rows) => {
      const row = await insertProduct(rows, call, workspaceId, facts)
      const [product] = await viewProducts(rows, call.origin, [row])
      if (product === undefined) throw new Error('a product that was just inserted has no view')
      await audit(rows, call, { verb: 'create', resourceType: 'product', resourceId: product.id, after: product })
      return { product }
    })
  },

  async listProducts(input, { db, principal, origin }) {
    requireMember(principal, input.workspace_id)
    const page = readPage(input)
    const { after } = page
    const { slug } = input
    const all = db.read
      .selectFrom('product')
      .where('workspace_id', '=', input.workspace_id)
      .$if(slug !== undefined, (query) => query.where('slug', '=', slug ?? ''))
    const { total } = await all.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
    const found = await all
      .selectAll()
      .$if(after !== undefined, (query) =>
        query.where(sql<boolean>`(name, id) > (${after?.sortValue}, ${Number(after?.id)})`),
      )
      .orderBy('name')
      .orderBy('id')
      .limit(page.size + 1)
      .execute()
    const { rows, paging } = cutPage(page, found, total, ({ name, id }) => ({ sortValue: name, id: String(id) }))
    return { products: await viewProducts(db.read, origin, rows), ...paging }
  },
} satisfies Handlers<'listWorkspaces' | 'createProduct' | 'listProducts'>

function requireMember(principal: Principal, workspaceId: string) {
  if (!principal.workspaceIds.includes(workspaceId)) throw notFound('workspace', workspaceId, 'list the workspaces')
}
