import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import type { WireRequest } from '../../../../src/contract/base/wire.ts'
import { dayMs } from '../../../../src/service/shared/times.ts'
import { startApp, type App } from '../../../app.ts'
import { issueEvent } from './issue-event.ts'
import { versionOf, type Pattern } from './facts.ts'
import { areas, DAYS, environments, productOf, PRODUCTS, type Plan } from './plan.ts'

/** Requests of ingest at a time: their events share a commit, and their time. */
const IN_FLIGHT = 200

/** A product with the key of its events. */
interface Sink {
  id: number
  key: string
}

/**
 * Stores the first event of each issue through the service, in a data directory that is empty: products and components,
 * environments and releases come with them. Resolves to the patterns by the index of the issue.
 */
export async function storePatterns(dataDir: string, plan: Plan, issues: number): Promise<Pattern[]> {
  await sendEvents(dataDir, plan, function* (sinks) {
    yield* groups(releaseEvents(plan, sinks), IN_FLIGHT)
    yield* groups(firstEvents(plan, sinks, issues), IN_FLIGHT)
  })
  return readPatterns(dataDir, issues)
}

/** Stores all that is planned through the service, one event after the other: what a filled directory is compared with. */
export async function storeThroughService(dataDir: string, plan: Plan, issues: number): Promise<Pattern[]> {
  await sendEvents(dataDir, plan, (sinks) => groups(allEvents(plan, sinks), 1))
  return readPatterns(dataDir, issues)
}

async function sendEvents(dataDir: string, plan: Plan, events: (sinks: readonly Sink[]) => Iterable<Sent[]>) {
  const clock = { now: plan.time[0] ?? 0 }
  await using app = await startService(dataDir, clock)
  const sinks = await createProducts(app)
  let sent = 0
  for (const group of events(sinks)) {
    clock.now = group[0]?.time ?? clock.now
    const replies = group.map(({ sink, event }) => app.service.direct(envelope(sink, event, sent++)))
    for (const { status } of await Promise.all(replies)) {
      if (status !== 200) throw new Error(`an event was answered with ${String(status)}`)
    }
  }
}

/** The service on a data directory, with a clock of the caller's. */
export function startService(dataDir: string, clock: { now: number }): Promise<App> {
  return startApp({ dataDir, platform: { now: () => clock.now }, checkResponses: false, newIssuesPerHour: 0 })
}

/** The products, in which nothing is removed because of its number or its age. */
async function createProducts(app: App): Promise<Sink[]> {
  const workspace = await app.db.read.selectFrom('workspace').select('id').executeTakeFirstOrThrow()
  for (let product = 1; product < PRODUCTS; product += 1) {
    const facts = { name: `App ${String(product)}`, key_prefix: `AP${String(product)}` }
    await post(app, `/v1/workspaces/${workspace.id}/products`, facts)
  }
  const rows = await app.db.read
    .selectFrom('product')
    .innerJoin('dsn_key', 'dsn_key.product_id', 'product.id')
    .select(['product.id', 'dsn_key.public_key as key'])
    .orderBy('product.id')
    .execute()
  await app.db.batch(async (prepare) => {
    await prepare('UPDATE dsn_key SET rate_per_second = 0').run()
    await prepare("UPDATE product SET settings = json_set(settings, '$.max_events_per_issue', 1000000)").run()
  })
  for (const { id } of rows) {
    for (const area of areas) {
      await post(app, `/v1/products/${String(id)}/components`, { name: area, path_globs: [`src/${area}/**`] })
    }
  }
  return rows
}

interface Sent {
  time: number
  sink: Sink
  event: Record<string, unknown>
}

/** One event of the loudest issue of each product in every release, so that all releases exist. */
function* releaseEvents(plan: Plan, sinks: readonly Sink[]): Generator<Sent> {
  const start = plan.time[0] ?? 0
  for (let day = 0; day < DAYS; day += 1) {
    for (const [product, sink] of sinks.entries()) {
      for (const environment of environments) {
        const issue = product === 0 ? 0 : product * 10 - 1
        const event = { ...issueEvent(issue), environment, release: versionOf(product, day) }
        yield { time: start + day * dayMs, sink, event }
      }
    }
  }
}

function* firstEvents(plan: Plan, sinks: readonly Sink[], issues: number): Generator<Sent> {
  const seen = new Set<number>()
  for (const [index, time] of plan.time.entries()) {
    const issue = plan.issue[index] ?? 0
    if (seen.has(issue)) continue
    seen.add(issue)
    const sink = sinks[productOf(issue)]!
    yield { time, sink, event: { ...issueEvent(issue), environment: environments[plan.environment[index] ?? 0] } }
    if (seen.size === issues) return
  }
}

function* allEvents(plan: Plan, sinks: readonly Sink[]): Generator<Sent> {
  for (const [index, time] of plan.time.entries()) {
    const issue = plan.issue[index] ?? 0
    const day = plan.release[index] ?? -1
    const user = plan.user[index] ?? -1
    const event = {
      ...issueEvent(issue),
      environment: environments[plan.environment[index] ?? 0],
      ...(day >= 0 && { release: versionOf(productOf(issue), day) }),
      ...(user >= 0 && { user: { id: String(user) } }),
    }
    yield { time, sink: sinks[productOf(issue)]!, event }
  }
}

function envelope(sink: Sink, event: Record<string, unknown>, sent: number): WireRequest {
  const id = sent.toString(16).padStart(32, '0')
  const body = `{"event_id":"${id}"}\n{"type":"event"}\n${JSON.stringify(event)}\n`
  return {
    method: 'POST',
    url: `http://127.0.0.1/api/${String(sink.id)}/envelope/?sentry_key=${sink.key}`,
    headers: {},
    body: new TextEncoder().encode(body),
  }
}

function* groups<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let group: T[] = []
  for (const item of items) {
    group.push(item)
    if (group.length < size) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

/** The stored issues; the index of each is in the name of the function that failed. */
function readPatterns(dataDir: string, issues: number): Pattern[] {
  using db = new DatabaseSync(join(dataDir, 'tracegate.db'))
  const patterns: Pattern[] = []
  for (const row of db.prepare('SELECT id, product_id, title FROM issue').iterate()) {
    const issue = Number(/Step(\d+)$/.exec(String(row['title']))?.[1])
    patterns[issue] = { issueId: String(row['id']), productId: Number(row['product_id']) }
  }
  const found = Object.keys(patterns).length
  if (found !== issues) throw new Error(`${String(found)} issues were stored, not ${String(issues)}`)
  return patterns
}

/** A request that has to succeed. */
export async function post(app: App, path: string, body: unknown): Promise<void> {
  const reply = await app.request('POST', path, body)
  if (reply.status !== 200) throw new Error(`${path} was answered with ${JSON.stringify(reply.body)}`)
}
