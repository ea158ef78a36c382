import type { EndpointName } from '../../../contract/index.ts'
import { vouchForIssue } from '../../errors/issues/vouching.ts'
import { requireTest, type StoredTest } from '../../quality/cases/access.ts'
import { updatedFields } from '../../quality/cases/cleared.ts'
import { readLinks } from '../../quality/cases/link-store.ts'
import { viewLinks } from '../../quality/cases/link-view.ts'
import { listTestRows } from '../../quality/cases/list.ts'
import { viewResults } from '../../quality/cases/result-view.ts'
import { createTest, deleteTest, readNewestResults, updateTest } from '../../quality/cases/test-store.ts'
import { viewTests } from '../../quality/cases/view.ts'
import type { Call, Handlers } from '../../shared/context.ts'
import { checkEtag, computeEtag } from '../../shared/etag.ts'
import { readPage } from '../../shared/paging.ts'
import type { Rows } from '../../sql/database.ts'
import { requireProduct } from '../../workspace/access.ts'

const RESULTS_SHOWN = 10

export const testHandlers = {
  async createTest(input, call) {
    const {
      product_id,
      branch_id: _branch,
      requirement_ids = [],
      request_id: _request,
      validate_only: _dry,
      ...fields
    } = input
    return call.db.write(async (rows, prepare) => {
      const product = await requireProduct(rows, call.principal, product_id)
      const created = { ...fields, requirementIds: requirement_ids }
      const { test, links } = await createTest(rows, prepare, call, product, created)
      await vouchForReproduced(rows, call, { productId: product.id, issueId: fields.issue_id })
      return { test: await viewOne(rows, test, call.now()), links: await viewLinks(rows, links) }
    })
  },

  async updateTest(input, call) {
    return call.db.write(async (rows, prepare) => {
      const found = await requireTest(rows, call.principal, input.id)
      checkEtag(input.etag, computeEtag(found.test.id, found.test.etag_version))
      const fields = updatedFields(input)
      const test = await updateTest(rows, prepare, call, found, { ...fields, reason: input.reason })
      await vouchForReproduced(rows, call, { productId: test.product_id, issueId: fields.issue_id })
      return { test: await viewOne(rows, test, call.now()) }
    })
  },

  async listTests(input, call) {
    const { db } = call
    const product = await requireProduct(db.read, call.principal, input.product_id)
    const { product_id: _product, branch_id: _branch, page_size: _size, page_token: _token, view, ...filter } = input
    const { tests, paging } = await listTestRows(db.read, {
      productId: product.id,
      filter,
      page: readPage(call, input),
      now: call.now(),
    })
    const viewing = { now: call.now(), basic: view === 'TEST_VIEW_BASIC' }
    return { tests: await viewTests(db.read, tests, viewing), ...paging }
  },

  async getTest({ id }, call) {
    const { db } = call
    const { test } = await requireTest(db.read, call.principal, id)
    const links = await readLinks(db.read, { test_id: id })
    const results = await readNewestResults(db.read, id, RESULTS_SHOWN)
    return {
      test: await viewOne(db.read, test, call.now()),
      links: await viewLinks(db.read, links),
      recent_results: await viewResults(db.read, results),
    }
  },

  async deleteTest({ id, recursive = false, etag, reason }, call) {
    return call.db.write(async (rows, prepare) => {
      const { test } = await requireTest(rows, call.principal, id)
      checkEtag(etag, computeEtag(test.id, test.etag_version))
      await deleteTest(rows, prepare, call, test, { recursive, reason })
      return {}
    })
  },
} satisfies Partial<Handlers<EndpointName>>

/** A member who names the issue that a test reproduces vouches for the issue (contract §10.6). */
async function vouchForReproduced(
  rows: Rows,
  call: Pick<Call, 'now'>,
  { productId, issueId = '' }: { productId: number; issueId: string | undefined },
): Promise<void> {
  if (issueId === '') return
  const issue = await rows
    .selectFrom('issue')
    .selectAll()
    .where('product_id', '=', productId)
    .where('id', '=', issueId)
    .executeTakeFirstOrThrow()
  await vouchForIssue(rows, call, issue)
}

async function viewOne(rows: Rows, test: StoredTest, now: number) {
  const [body] = await viewTests(rows, [test], { now })
  return body!
}
