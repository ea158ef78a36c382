import { areas } from './plan.ts'

/** The event of an issue, about 8 KB as an SDK of a web shop sends it; each issue has its own place in the code. */
export function issueEvent(issue: number): Record<string, unknown> {
  const area = areas[issue % areas.length] ?? ''
  const file = `src/${area}/part-${String(issue % 997)}.ts`
  const name = `${area}Step${String(issue)}`
  const message = messages[issue % messages.length] ?? ''
  return {
    platform: issue % 5 === 4 ? 'javascript' : 'node',
    level: levels[issue % levels.length],
    transaction: `POST /api/${area}/${String(issue % 97)}`,
    server_name: 'shop-7f9c',
    sdk: { name: 'sentry.javascript.node', version: '11.11.0' },
    tags: { channel: 'web', payment_method: 'card', country: 'DE', currency: 'EUR' },
    request: { method: 'POST', url: `https://shop.example/api/${area}` },
    exception: {
      values: [
        {
          type: types[issue % types.length],
          value: `${message} in ${name}`,
          mechanism: { type: 'generic', handled: issue % 3 === 0 },
          stacktrace: { frames: frames(name, file) },
        },
      ],
    },
    breadcrumbs: { values: Array.from({ length: 18 }, (_, index) => breadcrumb(issue, index)) },
  }
}

const types = ['TypeError', 'RangeError', 'PaymentDeclined', 'TimeoutError', 'ValidationError']
const levels = ['error', 'error', 'error', 'warning', 'fatal']
const messages = [
  "Cannot read properties of undefined (reading 'amount')",
  'the order has no lines',
  'the request took longer than 3000 ms',
  'the card was declined',
]

/** Half of the frames are of the product's code. */
function frames(name: string, file: string): Record<string, unknown>[] {
  return Array.from({ length: 16 }, (_, index) =>
    index % 2 === 0
      ? { function: `next`, filename: 'node_modules/express/lib/router/layer.js', lineno: 100 + index, colno: 5 }
      : {
          function: index === 15 ? name : `step${String(index)}`,
          filename: index === 15 ? file : `src/server/layer-${String(index)}.ts`,
          lineno: 12 + index * 7,
          colno: 5,
          in_app: true,
          context_line: `    const total = order.lines.reduce((sum, line) => sum + line.amount, ${String(index)})`,
          pre_context: ['  async function submit(order) {', '    await check(order)'],
          post_context: ['    return total', '  }'],
        },
  )
}

function breadcrumb(issue: number, index: number): Record<string, unknown> {
  const timestamp = 1_790_000_000 + index
  return index % 2 === 0
    ? { timestamp, category: 'ui.click', level: 'info', message: `button#pay-${String(issue)}-${String(index)}` }
    : {
        timestamp,
        category: 'http',
        level: 'info',
        type: 'http',
        data: { method: 'GET', url: `https://shop.example/api/cart/${String(issue * index)}`, status_code: 200 },
      }
}
