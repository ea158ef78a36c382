import type { EndpointName } from '../../../contract/index.ts'
import type { Handlers } from '../../shared/context.ts'
import { refreshStale } from '../../quality/coverage/refresh.ts'
import { requireProduct } from '../../workspace/access.ts'
import { checkEtag, computeEtag } from '../../shared/etag.ts'
import { readPage } from '../../shared/paging.ts'
import { requireRequirement } from '../../quality/requirements/access.ts'
import { updatedFields } from '../../quality/requirements/cleared.ts'
import { listRequirementRows } from '../../quality/requirements/list.ts'
import { requirementRef, viewRequirements } from '../../quality/requirements/view.ts'
import {
  countSuspectLinks,
  createRequirement,
  deleteRequirement,
  lintRequirement,
  readChildren,
  updateRequirement,
} from '../../quality/requirements/requirement-store.ts'
import { readLinks } from '../../quality/cases/link-store.ts'
import { viewLinks } from '../../quality/cases/link-view.ts'

export const requirementHandlers = {
  async createRequirement(
    { product_id, branch_id: _branch, request_id: _request, validate_only: _dry, ...fields },
    call,
  ) {
    return call.db.write(async (rows, prepare) => {
      const product = await requireProduct(rows, call.principal, product_id)
      const row = await createRequirement(rows, prepare, call, product, fields)
      const [requirement] = await viewRequirements(rows, product, [row], { now: call.now() })
      return { requirement: requirement!, lint: lintRequirement(row) }
    })
  },

  async listRequirements(input, call) {
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
    const query = { productId: product.id, filter, sort, page: readPage(call, input) }
    const { requirements, paging } = await listRequirementRows(db.read, query)
    const viewing = { now: call.now(), basic: view === 'REQUIREMENT_VIEW_BASIC' }
    return { requirements: await viewRequirements(db.read, product, requirements, viewing), ...paging }
  },

  async getRequirement({ id }, call) {
    const { db } = call
    const { requirement: row, product } = await requireRequirement(db.read, call.principal, id)
    await refreshStale(db, product.id, call.now())
    const [requirement] = await viewRequirements(db.read, product, [row], { now: call.now() })
    const children = await readChildren(db.read, id)
    const links = await readLinks(db.read, { requirement_id: id })
    return {
      requirement: requirement!,
      children: children.map(requirementRef),
      links: await viewLinks(db.read, links),
    }
  },

  async updateRequirement(input, call) {
    return call.db.write(async (rows, prepare) => {
      const { requirement: before, product } = await requireRequirement(rows, call.principal, input.id)
      checkEtag(input.etag, computeEtag(before.id, before.etag_version))
      const fields = { ...updatedFields(input), minor_change: input.minor_change, reason: input.reason }
      const row = await updateRequirement(rows, prepare, call, before, fields)
      const [requirement] = await viewRequirements(rows, product, [row], { now: call.now() })
      return { requirement: requirement!, suspect_link_count: await countSuspectLinks(prepare, row.id) }
    })
  },

  async deleteRequirement({ id, recursive = false, etag, reason }, call) {
    return call.db.write(async (rows, prepare) => {
      const { requirement } = await requireRequirement(rows, call.principal, id)
      checkEtag(etag, computeEtag(requirement.id, requirement.etag_version))
      await deleteRequirement(rows, prepare, call, requirement, { recursive, reason })
      return {}
    })
  },
} satisfies Partial<Handlers<EndpointName>>
