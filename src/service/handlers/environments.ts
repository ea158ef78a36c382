import type { Handlers } from '../shared/context.ts'
import { checkEtag, computeEtag } from '../shared/etag.ts'
import { viewTime } from '../shared/view-time.ts'
import { readPage } from '../shared/paging.ts'
import type { Rows } from '../sql/database.ts'
import { requireEnvironment, requireProduct } from '../workspace/access.ts'
import { viewEnvironments } from '../workspace/releases/environment-view.ts'
import {
  createEnvironment,
  deleteEnvironment,
  listEnvironmentRows,
  type StoredEnvironment,
} from '../workspace/releases/environments.ts'

export const environmentHandlers = {
  async createEnvironment(input, call) {
    return call.db.write(async (rows) => {
      const product = await requireProduct(rows, call.principal, input.product_id)
      const row = await createEnvironment(rows, call, {
        productId: product.id,
        name: input.name,
        kind: input.kind,
        exposureWeight: input.exposure_weight,
        description: input.description,
      })
      return { environment: await viewOne(rows, call.now(), row) }
    })
  },

  async listEnvironments(input, call) {
    const { db, principal } = call
    const product = await requireProduct(db.read, principal, input.product_id)
    const query = { productId: product.id, filter: input, page: readPage(call, input) }
    const { rows, paging } = await listEnvironmentRows(db.read, query)
    return { environments: await viewEnvironments(db.read, viewTime(call), rows), ...paging }
  },

  async getEnvironment({ id }, call) {
    const { db, principal } = call
    return { environment: await viewOne(db.read, call.now(), await requireEnvironment(db.read, principal, id)) }
  },

  async deleteEnvironment({ id, etag }, call) {
    return call.db.write(async (rows) => {
      const environment = await requireEnvironment(rows, call.principal, id)
      checkEtag(etag, computeEtag(environment.id, environment.version))
      await deleteEnvironment(rows, call, environment)
      return {}
    })
  },
} satisfies Handlers<'createEnvironment' | 'listEnvironments' | 'getEnvironment' | 'deleteEnvironment'>

async function viewOne(rows: Rows, now: number, row: StoredEnvironment) {
  const [environment] = await viewEnvironments(rows, { now }, [row])
  return environment!
}
