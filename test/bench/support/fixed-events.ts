const noon = Date.UTC(2026, 10, 21, 12) / 1000

const libraries = [
  'node_modules/express/lib/router/layer.js',
  'node_modules/express/lib/router/route.js',
  'node:internal',
]
const sources = ['src/checkout/order.ts', 'src/payment/capture.ts', 'src/cart/price.ts', 'src/server/routes.ts']
const functions = ['submitOrder', 'capturePayment', 'priceOf', 'handleRequest', 'withTransaction']

/** An event with so many frames and breadcrumbs, the same at every run: half of the frames are ours, in a web shop. */
export function fixedEvent(frames: number, breadcrumbs: number): Record<string, unknown> {
  return {
    event_id: String(frames).padStart(32, '0'),
    timestamp: noon,
    platform: 'node',
    level: 'error',
    environment: 'production',
    release: 'shop@1.4.0',
    transaction: 'POST /api/checkout',
    server_name: 'shop-7f9c',
    user: { id: 'customer-4711' },
    sdk: { name: 'sentry.javascript.node', version: '11.11.0' },
    tags: { channel: 'web', payment_method: 'card', country: 'DE', currency: 'EUR' },
    request: { method: 'POST', url: 'https://shop.example/api/checkout' },
    exception: {
      values: [
        {
          type: 'TypeError',
          value: `Cannot read properties of undefined (reading 'amount') in a stack of ${String(frames)}`,
          mechanism: { type: 'onunhandledrejection', handled: false },
          stacktrace: { frames: Array.from({ length: frames }, (_, index) => frame(index, frames)) },
        },
      ],
    },
    breadcrumbs: { values: Array.from({ length: breadcrumbs }, (_, index) => breadcrumb(index)) },
  }
}

function frame(index: number, frames: number): Record<string, unknown> {
  const ours = (frames - index) % 2 === 1
  const name = functions[index % functions.length] ?? ''
  const filename = (ours ? sources : libraries)[index % (ours ? sources : libraries).length] ?? ''
  return {
    function: frames > 20 ? `${name}${String(index)}` : name,
    filename,
    lineno: 12 + ((index * 37) % 400),
    colno: 5 + (index % 40),
    in_app: ours,
    ...(ours && {
      context_line: `    const total = order.lines.reduce((sum, line) => sum + line.amount, ${String(index)})`,
      pre_context: ['  async function submit(order) {', '    await check(order)'],
      post_context: ['    return total', '  }'],
    }),
  }
}

function breadcrumb(index: number): Record<string, unknown> {
  const at = noon - 100 + index
  return index % 2 === 0
    ? { timestamp: at, category: 'ui.click', level: 'info', message: `button#pay-${String(index)}` }
    : {
        timestamp: at,
        category: 'http',
        level: 'info',
        type: 'http',
        data: { method: 'GET', url: `https://shop.example/api/cart/${String(index)}`, status_code: 200 },
      }
}
