import type { EndpointName } from '../../contract/index.ts'
import { reviewExclusions } from '../gate/exclusions.ts'
import type { Handlers } from '../shared/context.ts'
import { requireProduct } from '../workspace/access.ts'

export const exclusionHandlers = {
  async reviewExclusions({ product_id, exclusion_ids, note }, call) {
    return call.db.write(async (rows) => {
      const { id: productId } = await requireProduct(rows, call.principal, product_id)
      return { exclusions: await reviewExclusions(rows, call, { productId, ids: [...new Set(exclusion_ids)], note }) }
    })
  },
} satisfies Partial<Handlers<EndpointName>>
