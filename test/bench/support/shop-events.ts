import { randomBytes, randomInt } from 'node:crypto'
import { issueEvent } from './stored-events/issue-event.ts'
import { productOf } from './stored-events/plan.ts'

/** The sizes that are measured, within 5 % of the length of an event's JSON: what they have besides the stack of their issue. */
const eventSizes = {
  '2.8 KB': { codeLines: 0, variables: 0, breadcrumbs: 0, headers: 0 },
  '8 KB': { codeLines: 2, variables: 0, breadcrumbs: 18, headers: 4 },
  '50 KB': { codeLines: 6, variables: 22, breadcrumbs: 100, headers: 16 },
} as const

export type EventSize = keyof typeof eventSizes

const USERS = 50_000

/** Four of five events are of it. */
export const NEWEST_RELEASE = 'shop@2.29.0'

/** The issues of the first product, whose key the load has. */
export function issuesOfFirst(issues: number): number[] {
  return Array.from({ length: issues }, (_, issue) => issue).filter((issue) => productOf(issue) === 0)
}

/**
 * An envelope with an event of an issue that `storedEvents` has stored, as Node's SDK sends it. The frames of the
 * application are those of the issue, after those that are given; everything else differs from event to event.
 */
export function shopEnvelope(size: EventSize, issue: number, before: readonly object[] = []): Buffer {
  const id = randomBytes(16).toString('hex')
  const event = JSON.stringify(shopEvent(size, issue, before))
  return Buffer.from(`{"event_id":"${id}","sent_at":"${new Date().toISOString()}"}\n{"type":"event"}\n${event}\n`)
}

function shopEvent(size: EventSize, issue: number, before: readonly object[]): Record<string, unknown> {
  const { breadcrumbs, headers } = eventSizes[size]
  const now = Date.now() / 1000
  const order = String(randomInt(10_000_000))
  const pattern = issueEvent(issue)
  return {
    ...pattern,
    timestamp: now,
    environment: randomInt(4) === 0 ? 'staging' : 'production',
    release: randomInt(5) === 0 ? `shop@2.${String(randomInt(20, 29))}.0` : NEWEST_RELEASE,
    server_name: `shop-${String(randomInt(200))}`,
    user: {
      id: `customer-${String(randomInt(USERS))}`,
      ip_address: `10.1.${String(randomInt(250))}.${String(randomInt(250))}`,
    },
    tags: { channel: 'web', order, shard: String(randomInt(64)) },
    ...(headers > 0 && { contexts: contexts() }),
    request: {
      method: 'POST',
      url: `https://shop.example/api/orders/${order}`,
      headers: Object.fromEntries(
        Array.from({ length: headers }, (_, at) => [`x-header-${String(at)}`, randomBytes(12).toString('hex')]),
      ),
    },
    exception: { values: [withCode(pattern, size, before)] },
    breadcrumbs: Array.from({ length: breadcrumbs }, (_, at) => breadcrumb(now - (breadcrumbs - at) * 3, at)),
  }
}

function contexts(): Record<string, unknown> {
  return {
    runtime: { name: 'node', version: 'v24.8.0' },
    os: { name: 'Linux', kernel_version: '6.8.0-60-generic' },
    app: { app_memory: 80_000_000 + randomInt(80_000_000), free_memory: randomInt(2_000_000_000) },
    trace: { trace_id: randomBytes(16).toString('hex'), span_id: randomBytes(8).toString('hex') },
  }
}

type Frame = Record<string, unknown>

/** The exception of the issue, whose frames bring as much code and as many variables as the size has. */
function withCode(
  pattern: Record<string, unknown>,
  size: EventSize,
  before: readonly object[],
): Record<string, unknown> {
  const { codeLines, variables } = eventSizes[size]
  const { values } = pattern['exception'] as { values: { stacktrace: { frames: Frame[] } }[] }
  const [exception] = values
  const code = Array.from(
    { length: codeLines },
    (_, at) => `    await audit.write(request.id, { step: ${String(at)}, order: order.id })`,
  )
  const frames = (exception?.stacktrace.frames ?? []).map(({ pre_context: _pre, post_context: _post, ...frame }) => ({
    ...frame,
    ...(codeLines > 0 && frame['in_app'] === true && { pre_context: code, post_context: code }),
    ...(variables > 0 && { vars: variableValues(variables) }),
  }))
  return { ...exception, stacktrace: { frames: [...before, ...frames] } }
}

function variableValues(count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`local${String(at)}`, randomBytes(30).toString('hex')]),
  )
}

function breadcrumb(timestamp: number, at: number): Record<string, unknown> {
  const id = String(randomInt(1_000_000_000))
  const message = `[stock] read ${id} in ${String(randomInt(900))} ms`
  if (at % 2 === 0) return { timestamp, category: 'console', level: 'info', message }
  const url = `https://stock.example/v2/items/${id}?warehouse=${String(randomInt(40))}`
  return { timestamp, category: 'http', type: 'http', level: 'info', data: { method: 'GET', url, status_code: 200 } }
}
