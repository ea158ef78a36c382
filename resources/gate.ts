import { ServiceError } from '../src/errors.ts'
import { defineResourceTemplate } from '../src/mcp/define/define.ts'
import { productNames } from '../src/mcp/surface/suggest.ts'

export const gate = defineResourceTemplate({
  name: 'gate',
  uriTemplate: 'tracegate://product/{product}/gate',
  title: 'Quality gate of a product',
  description: 'The latest quality gate verdict of a whole product, as get_quality_gate shows it.',
  tool: 'get_quality_gate',
  args: ({ product }) => ({ product }),
  suggest: { product: productNames },
  async watch({ product }, { api, resolve, signal }) {
    const { id } = await resolve.product(product)
    try {
      const { verdict } = await api.getGate({ product_id: id }, { signal })
      const risks = verdict.risks?.map((risk) => [risk.id, risk.state])
      const { id: verdictId, status, computed_at: at, stale, exclusions_unreviewed: exclusions } = verdict
      return { value: [verdictId, status, at, stale, risks, exclusions] }
    } catch (error) {
      // Before the first verdict there is something to wait for.
      if (error instanceof ServiceError && error.reason === 'VERDICT_NOT_COMPUTED') return { value: 'not computed' }
      throw error
    }
  },
})
