import type { EndpointName } from '../../../contract/index.ts'
import type { Handlers } from '../../shared/context.ts'
import { refreshStale } from '../../quality/coverage/refresh.ts'
import { requireProduct } from '../../workspace/access.ts'
import { idToMatch } from '../../workspace/releases/environments.ts'
import { listGaps } from '../../quality/gaps/list.ts'
import { readPage } from '../../shared/paging.ts'
import { requireRequirement } from '../../quality/requirements/access.ts'
import { notFound } from '../../../errors.ts'
import { prepareContexts } from '../../agent-context/test/prepare.ts'
import { buildTestContext } from '../../agent-context/test/build.ts'

export const retrievalHandlers = {
  async listCoverageGaps(input, call) {
    const { db } = call
    const product = await requireProduct(db.read, call.principal, input.product_id)
    const { limit, window = '7d' } = input
    const environmentId = await idToMatch(db.read, input.environment_id)
    await refreshStale(db, product.id, call.now())
    const { page_size: _size, page_token: _token, limit: _limit, ...filters } = input
    const page = readPage(call, { page_size: input.page_size ?? limit, page_token: input.page_token }, filters)
    const viewing = { window, environmentId, now: call.now(), keyPrefix: product.key_prefix }
    const { gaps, paging, summary } = await listGaps(db.read, product, { filter: input, page, ...viewing })
    return { coverage_gaps: gaps, ...paging, summary }
  },

  async getTestContext(input, call) {
    const { db } = call
    const { requirement, product } = await requireRequirement(db.read, call.principal, input.requirement_id)
    if (String(product.id) !== input.product_id) {
      throw notFound('requirement', input.requirement_id, 'list the requirements of the product')
    }
    await refreshStale(db, product.id, call.now())
    const { max_files: maxFiles, max_similar_tests: maxSimilar, max_tokens: maxTokens } = input
    const limits = { maxFiles, maxSimilar, maxTokens }
    return {
      test_context: await buildTestContext(db.read, product, requirement, {
        now: call.now(),
        symbolicator: call.symbolicator,
        ...limits,
      }),
    }
  },

  async prepareTestContext(input, call) {
    const product = await requireProduct(call.db.read, call.principal, input.product_id)
    await refreshStale(call.db, product.id, call.now())
    return { test_generation_context: await prepareContexts(call, product, input) }
  },
} satisfies Partial<Handlers<EndpointName>>
