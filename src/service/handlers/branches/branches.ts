import type { EndpointName } from '../../../contract/index.ts'
import { readChanges } from '../../branches/changes.ts'
import { mergeBranch } from '../../branches/into-main/merge.ts'
import { previewMerge } from '../../branches/into-main/preview.ts'
import { closeBranch, createBranch, listBranchRows, requireBranch } from '../../branches/store/branches.ts'
import { viewBranches, viewChanges } from '../../branches/store/view.ts'
import type { Handlers } from '../../shared/context.ts'
import { readPage } from '../../shared/paging.ts'
import { requireProduct } from '../../workspace/access.ts'

const CHANGES_SHOWN = 200

export const branchHandlers = {
  async createBranch({ product_id: productId, ...facts }, call) {
    return call.db.write(async (rows) => {
      const product = await requireProduct(rows, call.principal, productId)
      const { name, description, git_ref } = facts
      const row = await createBranch(rows, call, product, { name, description, git_ref })
      const [branch] = await viewBranches(rows, product, [row])
      return { branch: branch! }
    })
  },

  async listBranches(input, call) {
    const { db, principal } = call
    const product = await requireProduct(db.read, principal, input.product_id)
    const states = input.state ?? ['BRANCH_STATE_OPEN']
    const query = { productId: product.id, states, name: input.name, page: readPage(call, input) }
    const { rows, paging } = await listBranchRows(db.read, query)
    return { branches: await viewBranches(db.read, product, rows), ...paging }
  },

  async getBranch({ id }, call) {
    const { db, principal } = call
    const { branch: row, product } = await requireBranch(db.read, principal, id)
    const [branch] = await viewBranches(db.read, product, [row])
    const changes = await readChanges(db.read, id)
    return { branch: branch!, changes: await viewChanges(db.read, changes.slice(0, CHANGES_SHOWN)) }
  },

  async deleteBranch({ id, etag }, call) {
    return call.db.write(async (rows) => {
      await closeBranch(rows, call, { id, etag })
      return {}
    })
  },

  async previewMerge({ id }, call) {
    return { merge_preview: await previewMerge(call, id) }
  },

  mergeBranch({ request_id: _request, validate_only: _dry, ...input }, call) {
    return mergeBranch(call, input)
  },
} satisfies Partial<Handlers<EndpointName>>
