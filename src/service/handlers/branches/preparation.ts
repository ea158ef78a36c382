import { storePaths } from '../../agent-context/test/prepare.ts'
import { readOnBranch } from '../../branches/overlay/read.ts'
import type { Handlers } from '../../shared/context.ts'
import { retrievalHandlers } from '../quality/retrieval.ts'

/**
 * Test contexts with the files of the caller: with `branch_id` they are read on the branch, and the paths, which belong to no
 * branch, are stored once the changes of the branch have been taken back (contract §9.3).
 */
export const preparationHandlers = {
  async prepareTestContext(input, call) {
    const { branch_id: branchId = '', product_id } = input
    if (branchId === '') return retrievalHandlers.prepareTestContext(input, call)
    const prepared = await readOnBranch(call, branchId, { product_id }, async (onBranch, { product }) => ({
      answer: await retrievalHandlers.prepareTestContext(input, onBranch),
      productId: product.id,
    }))
    await storePaths(call, prepared.productId, input.repository)
    return prepared.answer
  },
} satisfies Handlers<'prepareTestContext'>
