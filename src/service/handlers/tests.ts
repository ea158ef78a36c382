import { sql } from 'kysely'
import type { EndpointName } from '../../contract/index.ts'
import { ServiceError } from '../../errors.ts'
import { audit } from '../workspace/audit.ts'
import { refuseBranch } from '../quality/branches/access.ts'
import type { Handlers } from '../shared/context.ts'
import { requireProduct } from '../workspace/access.ts'
import { checkEtag, etagOf } from '../shared/etag.ts'
import { readPage } from '../shared/paging.ts'
import { requireRequirement } from '../quality/requirements/access.ts'
import type { Rows } from '../sql/database.ts'
import { requireTest, type StoredTest } from '../quality/cases/access.ts'
import { updatedFields } from '../quality/cases/cleared.ts'
import { viewLinks } from '../quality/cases/link-view.ts'
import { putLink } from '../quality/cases/links.ts'
import { listTestRows } from '../quality/cases/list.ts'
import { viewResults } from '../quality/cases/result-view.ts'
import { viewTests } from '../quality/cases/view.ts'
import { changeTest, insertTest, removeTests } from '../quality/cases/write.ts'

const RESULTS_SHOWN = 10

export const testHandlers = {
  async createTest(input, call) {
    const { product_id, branch_id, requirement_ids = [], request_id: _request, validate_only: _dry, ...fields } = input
    refuseBranch(branch_id)
    return call.db.write(async (rows, prepare) => {
      const product = await requireProduct(rows, call.principal, product_id)
      const test = await insertTest(rows, prepare, call, product, fields)
      const links = []
      for (const id of new Set(requirement_ids)) {
        const { requirement } = await requireRequirement(rows, call.principal, id)
        const origin = call.principal.isAgent ? 'LINK_ORIGIN_AGENT' : 'LINK_ORIGIN_MANUAL'
        links.push(await putLink(rows, prepare, call, { test, requirement, origin }))
      }
      await audit(rows, call, { verb: 'create', resourceType: 'test', resourceId: test.id, after: test })
      return { test: await viewOne(rows, test, call.now()), links: await viewLinks(rows, links) }
    })
  },

  async updateTest(input, call) {
    refuseBranch(input.branch_id)
    return call.db.write(async (rows, prepare) => {
      const found = await requireTest(rows, call.principal, input.id)
      checkEtag(input.etag, etagOf(found.test.id, found.test.etag_version))
      const test = await changeTest(rows, prepare, call, found, updatedFields(input))
      await audit(rows, call, {
        verb: 'update',
        resourceType: 'test',
        resourceId: test.id,
        before: found.test,
        after: test,
      })
      return { test: await viewOne(rows, test, call.now()) }
    })
  },

  async listTests(input, call) {
    refuseBranch(input.branch_id)
    const { db } = call
    const product = await requireProduct(db.read, call.principal, input.product_id)
    const { product_id: _product, branch_id: _branch, page_size: _size, page_token: _token, view, ...filter } = input
    const { tests, paging } = await listTestRows(db.read, { productId: product.id, filter, page: readPage(input) })
    const viewing = { now: call.now(), basic: view === 'TEST_VIEW_BASIC' }
    return { tests: await viewTests(db.read, tests, viewing), ...paging }
  },

  async getTest({ id, branch_id }, call) {
    refuseBranch(branch_id)
    const { db } = call
    const { test } = await requireTest(db.read, call.principal, id)
    const links = await db.read
      .selectFrom('test_link')
      .selectAll()
      .where('test_id', '=', id)
      .where('archived_at', 'is', null)
      .orderBy('created_at')
      .orderBy('requirement_id')
      .execute()
    const results = await db.read
      .selectFrom('test_result')
      .selectAll()
      .where('test_id', '=', id)
      .orderBy('executed_at', 'desc')
      .orderBy('id', 'desc')
      .limit(RESULTS_SHOWN)
      .execute()
    return {
      test: await viewOne(db.read, test, call.now()),
      links: await viewLinks(db.read, links),
      recent_results: await viewResults(db.read, results),
    }
  },

  async deleteTest({ id, branch_id, recursive = false, etag }, call) {
    refuseBranch(branch_id)
    return call.db.write(async (rows, prepare) => {
      const { test } = await requireTest(rows, call.principal, id)
      checkEtag(etag, etagOf(test.id, test.etag_version))
      const below = await testsBelow(rows, id)
      if (below.length > 0 && !recursive) {
        const message = `the suite holds ${String(below.length)} tests; delete those first, or pass recursive`
        throw new ServiceError('failed_precondition', message, { reason: 'HAS_CHILDREN' })
      }
      await removeTests(rows, prepare, call, [test, ...below])
      await audit(rows, call, { verb: 'delete', resourceType: 'test', resourceId: id, before: test })
      return {}
    })
  },
} satisfies Partial<Handlers<EndpointName>>

async function viewOne(rows: Rows, test: StoredTest, now: number) {
  const [body] = await viewTests(rows, [test], { now })
  return body!
}

async function testsBelow(rows: Rows, id: string): Promise<StoredTest[]> {
  const { rows: found } = await sql<StoredTest>`
    WITH RECURSIVE below (id) AS (
      SELECT id FROM test WHERE parent_id = ${id} AND deleted_at IS NULL
      UNION SELECT test.id FROM below JOIN test ON test.parent_id = below.id WHERE test.deleted_at IS NULL
    )
    SELECT * FROM test WHERE id IN (SELECT id FROM below)`.execute(rows)
  return found
}
