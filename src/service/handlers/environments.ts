import { sql } from 'kysely'
import { ServiceError } from '../../errors.ts'
import { audit } from '../workspace/audit.ts'
import type { Handlers } from '../shared/context.ts'
import { requireEnvironment, requireProduct } from '../workspace/access.ts'
import { ensureEnvironment, type StoredEnvironment } from '../workspace/environments.ts'
import { viewEnvironments } from '../workspace/environment-view.ts'
import { nameKey } from '../workspace/rules.ts'
import { checkEtag, etagOf } from '../shared/etag.ts'
import { cutPage, readPage } from '../shared/paging.ts'
import type { Rows } from '../sql/database.ts'

export const environmentHandlers = {
  async createEnvironment(input, call) {
    return call.db.write(async (rows) => {
      const product = await requireProduct(rows, call.principal, input.product_id)
      const { environment: row, before } = await ensureEnvironment(rows, call, {
        productId: product.id,
        name: input.name,
        origin: 'ORIGIN_MANUAL',
        kind: input.kind,
        exposureWeight: input.exposure_weight,
        description: input.description,
      })
      if (before !== undefined && before.origin !== 'ORIGIN_EVENT') throw nameTaken(before.id)
      const environment = await viewOne(rows, call.now(), row)
      const verb = before === undefined ? 'create' : 'update'
      await audit(rows, call, { verb, resourceType: 'environment', resourceId: row.id, before, after: row })
      return { environment }
    })
  },

  async listEnvironments(input, call) {
    const { db, principal } = call
    const product = await requireProduct(db.read, principal, input.product_id)
    const page = readPage(input)
    const { after } = page
    const { kind, name } = input
    const all = db.read
      .selectFrom('environment')
      .where('product_id', '=', product.id)
      .where('deleted_at', 'is', null)
      .$if(kind !== undefined, (query) => query.where('kind', '=', kind ?? ''))
      .$if(name !== undefined, (query) => query.where('name_key', '=', nameKey(name ?? '')))
    const { total } = await all.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
    const found = await all
      .selectAll()
      .$if(after !== undefined, (query) =>
        query.where(sql<boolean>`(name_key, id) > (${after?.sortValue}, ${after?.id})`),
      )
      .orderBy('name_key')
      .orderBy('id')
      .limit(page.size + 1)
      .execute()
    const { rows, paging } = cutPage(page, found, total, ({ name_key, id }) => ({ sortValue: name_key, id }))
    return { environments: await viewEnvironments(db.read, call.now(), rows), ...paging }
  },

  async getEnvironment({ id }, call) {
    const { db, principal } = call
    return { environment: await viewOne(db.read, call.now(), await requireEnvironment(db.read, principal, id)) }
  },

  async deleteEnvironment({ id, etag }, call) {
    return call.db.write(async (rows) => {
      const before = await requireEnvironment(rows, call.principal, id)
      checkEtag(etag, etagOf(before.id, before.version))
      const now = call.now()
      await rows
        .updateTable('environment')
        .set({ deleted_at: now, updated_at: now, version: before.version + 1 })
        .where('id', '=', id)
        .execute()
      await audit(rows, call, { verb: 'delete', resourceType: 'environment', resourceId: id, before })
      return {}
    })
  },
} satisfies Handlers<'createEnvironment' | 'listEnvironments' | 'getEnvironment' | 'deleteEnvironment'>

async function viewOne(rows: Rows, now: number, row: StoredEnvironment) {
  const [environment] = await viewEnvironments(rows, now, [row])
  if (environment === undefined) throw new Error('an environment has no view')
  return environment
}

function nameTaken(existingId: string): ServiceError {
  return new ServiceError('already_exists', `an environment of this name exists: ${existingId}; use that one`, {
    reason: 'ENVIRONMENT_EXISTS',
    metadata: { existing_id: existingId },
    violations: [{ field: 'name', description: 'is taken' }],
  })
}
