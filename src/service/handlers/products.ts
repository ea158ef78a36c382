import { WorkspaceRole } from '../../contract/products.ts'
import { readPage } from '../shared/paging.ts'
import { timestamp } from '../shared/times.ts'
import type { Handlers } from '../shared/context.ts'
import { requireMember } from '../workspace/access.ts'
import { listProductRows, listWorkspaceRows } from '../workspace/product-list.ts'
import { viewProducts } from '../workspace/product-view.ts'
import { createProduct } from '../workspace/products.ts'

export const productHandlers = {
  async listWorkspaces(input, call) {
    const query = { userId: call.principal.userId, page: readPage(call, input) }
    const { rows, paging } = await listWorkspaceRows(call.db.read, query)
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
      const row = await createProduct(rows, call, workspaceId, facts)
      const [product] = await viewProducts(rows, call.origin, [row])
      return { product: product! }
    })
  },

  async listProducts(input, call) {
    const { db, principal, origin } = call
    requireMember(principal, input.workspace_id)
    const query = { workspaceId: input.workspace_id, slug: input.slug, page: readPage(call, input) }
    const { rows, paging } = await listProductRows(db.read, query)
    return { products: await viewProducts(db.read, origin, rows), ...paging }
  },
} satisfies Handlers<'listWorkspaces' | 'createProduct' | 'listProducts'>
