import type { Handlers } from '../shared/context.ts'
import { requireProduct } from '../workspace/access.ts'
import { verifySetup } from '../workspace/releases/setup.ts'

export const setupHandlers = {
  async verifySetup({ product_id: productId }, call) {
    return call.db.write(async (rows) => {
      const product = await requireProduct(rows, call.principal, productId)
      return { setup: await verifySetup(rows, call, product) }
    })
  },
} satisfies Handlers<'verifySetup'>
