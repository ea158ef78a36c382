import type { Random } from './random.ts'

const agents = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0',
]
const paths = ['checkout', 'orders', 'cart/items', 'customers', 'invoices', 'vouchers/redeem', 'shipments']
const tables = ['orders', 'order_lines', 'customers', 'prices', 'vouchers']
const integrations =
  'EventFilters FunctionToString LinkedErrors RequestData NodeSystemError Console Http NodeFetch OnUncaughtException OnUnhandledRejection ContextLines LocalVariablesAsync Context ChildProcess WorkerThreads ProcessSession Modules Express Postgres'

/** Everything of an event but its exception and breadcrumbs, as `@sentry/node` 11 sends it from an Express server. */
export function surroundings(random: Random, at: number) {
  const id = String(random.below(1_000_000))
  const customer = String(random.below(20_000))
  const isKnown = random.below(5) > 0
  const ip = `203.0.${String(random.below(256))}.${String(random.below(256))}`
  const path = random.pick(paths)
  const pod = `shop-7f9c4d5b8-${random.pick(['x2x9k', 'q8mzp', 'v4r7t', 'l0dwn', 'b6hsj'])}`
  return {
    event_id: random.hex(32),
    level: 'error',
    platform: 'node',
    timestamp: at / 1000,
    environment: random.pick(['production', 'production', 'production', 'staging']),
    release: `shop@1.${String(random.below(4))}.0`,
    server_name: pod,
    transaction: `POST /api/${path}`,
    contexts: {
      trace: { trace_id: random.hex(32), span_id: random.hex(16), parent_span_id: random.hex(16), op: 'http.server' },
      runtime: { name: 'node', version: 'v24.21.0' },
      culture: { locale: 'en-US', timezone: 'UTC' },
      app: { app_start_time: '2026-11-21T04:09:46.424Z', app_memory: 134_217_728 + random.below(90_000_000) },
      os: { name: 'Debian', version: '12.11', kernel_version: '6.1.0-37-amd64' },
      device: { arch: 'x64', memory_size: 8_589_934_592, free_memory: random.below(4_000_000_000), processor_count: 4 },
    },
    sdk: {
      integrations: integrations.split(' '),
      name: 'sentry.javascript.node',
      version: '11.11.0',
      packages: [{ name: 'npm:@sentry/node', version: '11.11.0' }],
    },
    tags: {
      channel: random.pick(['web', 'app', 'partner']),
      payment_method: random.pick(['card', 'invoice', 'paypal']),
      country: random.pick(['DE', 'FR', 'AT', 'NL', 'PL']),
      tenant: `tenant-${String(random.below(400))}`,
    },
    ...(isKnown && { user: { id: `cus_${customer}`, email: `customer.${customer}@mail.example`, ip_address: ip } }),
    request: {
      method: 'POST',
      url: `https://shop.example/api/${path}/${id}?step=${String(random.below(9))}`,
      headers: {
        host: 'shop.example',
        connection: 'keep-alive',
        'content-type': 'application/json',
        'user-agent': random.pick(agents),
        'x-forwarded-for': ip,
        'x-request-id': random.hex(32),
        traceparent: `00-${random.hex(32)}-${random.hex(16)}-01`,
        cookie: '[Filtered]',
        accept: 'application/json',
        'accept-language': random.pick(['de-DE,de;q=0.9', 'en-GB,en;q=0.8', 'fr-FR,fr;q=0.9']),
        'content-length': String(random.below(3_000)),
      },
      data: { order: id, lines: random.below(12), total: random.below(90_000), voucher: random.hex(10) },
    },
    modules: { express: '5.1.0', pg: '8.16.3', '@sentry/node': '11.11.0', zod: '4.6.7' },
  }
}

/** The same from a scheduled job: a small event. */
export function job(random: Random, at: number) {
  const { request: _request, modules: _modules, transaction: _transaction, ...rest } = surroundings(random, at)
  return { ...rest, transaction: `job ${random.pick(paths)}` }
}

/** One of the kinds that the SDK records by itself; `at` is in seconds. */
export function breadcrumb(random: Random, at: number) {
  const timestamp = Math.round(at * 1000) / 1000
  const id = String(random.below(1_000_000))
  const kind = random.below(3)
  if (kind === 0) {
    const url = `https://${random.pick(['prices', 'stock', 'payments'])}.shop.internal/v2/${random.pick(paths)}/${id}`
    const data = { url, 'http.method': 'GET', status_code: random.pick([200, 200, 204, 404, 502]) }
    return { timestamp, category: 'http', type: 'http', level: 'info', data }
  }
  if (kind === 1) {
    const message = `SELECT * FROM ${random.pick(tables)} WHERE id = $1 AND tenant = $2`
    return {
      timestamp,
      category: 'query',
      level: 'info',
      message,
      data: { rows: random.below(40), ms: random.below(900) / 10 },
    }
  }
  return { timestamp, category: 'console', level: 'info', message: `priced cart ${random.hex(12)} of customer ${id}` }
}
