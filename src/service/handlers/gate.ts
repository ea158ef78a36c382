import { computeVerdictIn } from '../gate/verdict/compute.ts'
import { readVerdict } from '../gate/verdict/current.ts'
import type { Handlers } from '../shared/context.ts'
import { requireProduct } from '../workspace/access.ts'

export const gateHandlers = {
  async computeGate(input, call) {
    return call.db.write(async (rows) => {
      const product = await requireProduct(rows, call.principal, input.product_id)
      // No other write is under way, and this one writes no facts.
      const facts = call.db.read
      return { verdict: await computeVerdictIn(rows, call, product, input, { facts }) }
    })
  },

  async getGate({ product_id: productId, ...request }, call) {
    const product = await requireProduct(call.db.read, call.principal, productId)
    const isOnBranch = (request.branch_id ?? '') !== '' && request.verdict_id === undefined
    if (isOnBranch) return { verdict: await computeVerdictIn(call.db.read, call, product, request) }
    return { verdict: await readVerdict(call.db.read, call, product, request) }
  },
} satisfies Handlers<'computeGate' | 'getGate'>
