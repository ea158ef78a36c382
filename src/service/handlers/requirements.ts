import type { EndpointName } from '../../contract/index.ts'
import { ServiceError } from '../../errors.ts'
import { audit } from '../workspace/audit.ts'
import { refuseBranch } from '../quality/branches/access.ts'
import type { Handlers } from '../shared/context.ts'
import { refreshStale } from '../quality/coverage/refresh.ts'
import { requireProduct } from '../workspace/access.ts'
import { checkEtag, etagOf } from '../shared/etag.ts'
import { readPage } from '../shared/paging.ts'
import { requireRequirement } from '../quality/requirements/access.ts'
import { updatedFields } from '../quality/requirements/cleared.ts'
import { Criteria } from '../quality/requirements/columns.ts'
import { lintWording } from '../quality/requirements/lint.ts'
import { listRequirementRows } from '../quality/requirements/list.ts'
import { requirementRef, viewRequirements } from '../quality/requirements/view.ts'
import {
  changeRequirement,
  findDescendants,
  insertRequirement,
  removeRequirements,
} from '../quality/requirements/write.ts'
import { viewLinks } from '../quality/cases/link-view.ts'
import { readJson } from '../sql/json.ts'

export const requirementHandlers = {
  async createRequirement({ product_id, branch_id, request_id: _request, validate_only: _dry, ...fields }, call) {
    refuseBranch(branch_id)
    return call.db.write(async (rows, prepare) => {
      const product = await requireProduct(rows, call.principal, product_id)
      const row = await insertRequirement(rows, prepare, call, product, fields)
      await audit(rows, call, { verb: 'create', resourceType: 'requirement', resourceId: row.id, after: row })
      const [requirement] = await viewRequirements(rows, product, [row], { now: call.now() })
      const { title, statement, acceptance_criteria } = row
      return {
        requirement: requirement!,
        lint: lintWording(title, statement, readJson(Criteria, acceptance_criteria)),
      }
    })
  },

  async listRequirements(input, call) {
    refuseBranch(input.branch_id)
    const { db, principal } = call
    const product = await requireProduct(db.read, principal, input.product_id)
    const {
      product_id: _product,
      branch_id: _branch,
      page_size: _size,
      page_token: _token,
      sort,
      view,
      ...filter
    } = input
    await refreshStale(db, product.id, call.now())
    const query = { productId: product.id, filter, sort, page: readPage(input) }
    const { requirements, paging } = await listRequirementRows(db.read, query)
    const viewing = { now: call.now(), basic: view === 'REQUIREMENT_VIEW_BASIC' }
    return { requirements: await viewRequirements(db.read, product, requirements, viewing), ...paging }
  },

  async getRequirement({ id, branch_id }, call) {
    refuseBranch(branch_id)
    const { db } = call
    const { requirement: row, product } = await requireRequirement(db.read, call.principal, id)
    await refreshStale(db, product.id, call.now())
    const [requirement] = await viewRequirements(db.read, product, [row], { now: call.now() })
    const children = await db.read
      .selectFrom('requirement')
      .select(['id', 'number', 'title'])
      .where('parent_id', '=', id)
      .where('deleted_at', 'is', null)
      .orderBy('tree_path')
      .execute()
    const links = await db.read
      .selectFrom('test_link')
      .selectAll()
      .where('requirement_id', '=', id)
      .where('archived_at', 'is', null)
      .orderBy('created_at')
      .orderBy('test_id')
      .execute()
    return {
      requirement: requirement!,
      children: children.map(requirementRef),
      links: await viewLinks(db.read, links),
    }
  },

  async updateRequirement(input, call) {
    refuseBranch(input.branch_id)
    return call.db.write(async (rows, prepare) => {
      const { requirement: before, product } = await requireRequirement(rows, call.principal, input.id)
      checkEtag(input.etag, etagOf(before.id, before.etag_version))
      const fields = { ...updatedFields(input), minor_change: input.minor_change }
      const row = await changeRequirement(rows, prepare, call, before, fields)
      await audit(rows, call, { verb: 'update', resourceType: 'requirement', resourceId: row.id, before, after: row })
      const [requirement] = await viewRequirements(rows, product, [row], { now: call.now() })
      const suspect = prepare(
        `SELECT count(*) AS count FROM test_link
         WHERE requirement_id = ? AND state = 'LINK_STATE_SUSPECT' AND archived_at IS NULL`,
      ).get<{ count: number }>(row.id)
      return { requirement: requirement!, suspect_link_count: suspect?.count ?? 0 }
    })
  },

  async deleteRequirement({ id, branch_id, recursive = false, etag }, call) {
    refuseBranch(branch_id)
    return call.db.write(async (rows, prepare) => {
      const { requirement } = await requireRequirement(rows, call.principal, id)
      checkEtag(etag, etagOf(requirement.id, requirement.etag_version))
      const below = await findDescendants(rows, requirement)
      if (below.length > 0 && !recursive) {
        const message = `the requirement has ${String(below.length)} below it; delete those first, or pass recursive`
        throw new ServiceError('failed_precondition', message, { reason: 'HAS_CHILDREN' })
      }
      await removeRequirements(rows, prepare, call, [requirement, ...below])
      await audit(rows, call, { verb: 'delete', resourceType: 'requirement', resourceId: id, before: requirement })
      return {}
    })
  },
} satisfies Partial<Handlers<EndpointName>>
