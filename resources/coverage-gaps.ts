import { defineResourceTemplate } from '../src/mcp/define/define.ts'
import { productNames } from '../src/mcp/surface/suggest.ts'

export const coverageGaps = defineResourceTemplate({
  name: 'coverage-gaps',
  uriTemplate: 'tracegate://product/{product}/coverage-gaps',
  title: 'Coverage gaps of a product',
  description: 'The requirements of a product without working tests, worst first, as find_coverage_gaps shows them.',
  tool: 'find_coverage_gaps',
  args: ({ product }) => ({ product }),
  suggest: { product: productNames },
})
