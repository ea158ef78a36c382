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
})
