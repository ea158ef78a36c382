import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ResponseOf } from '../../../../src/contract/index.ts'
import type { Served } from '../../../serve.ts'
import { sentWith, type Sent } from '../../support/flood/events.ts'

export interface Differences {
  /** Acknowledged, and not there. */
  lost: number
  /** There more than once. */
  doubled: number
  /** Counters of issues that are not what their stored occurrences add up to. */
  miscounted: string[]
}

/** Reads everything by REST and compares it with the numbers that were acknowledged. */
export async function compare(served: Served, acknowledged: readonly number[]): Promise<Differences> {
  const product = served.endpoints.product_id
  const expected = Map.groupBy(acknowledged.map(sentWith), ({ type }) => type)
  const issues = await pages(served, `/v1/products/${product}/issues`, (page: ResponseOf<'listIssues'>) => page.issues)
  const found: Differences = { lost: 0, doubled: 0, miscounted: [] }
  for (const issue of issues) {
    const ids = await pages(served, `/v1/issues/${issue.id}/events`, (page: ResponseOf<'listIssueEvents'>) =>
      page.events.map(({ sdk_event_id }) => sdk_event_id),
    )
    const stored = new Set(ids)
    const sent = expected.get(issue.type) ?? []
    found.doubled += ids.length - stored.size
    found.lost += sent.filter(({ id }) => !stored.has(id)).length
    expected.delete(issue.type)
    const { stats } = await get<ResponseOf<'getIssueStats'>>(served, `/v1/issues/${issue.id}/stats?period=1d`)
    found.miscounted.push(...miscounts(issue, stats, { occurrences: ids.length, sent }))
  }
  // Issues that are not there at all.
  for (const sent of expected.values()) found.lost += sent.length
  return found
}

function miscounts(
  issue: ResponseOf<'listIssues'>['issues'][number],
  stats: ResponseOf<'getIssueStats'>['stats'],
  { occurrences, sent }: { occurrences: number; sent: readonly Sent[] },
): string[] {
  const users = new Set(sent.map(({ user }) => user)).size
  const places = Map.groupBy(sent, ({ environment }) => environment)
  const counts = [
    ['times_seen', issue.times_seen, occurrences],
    ['users_affected', issue.users_affected, users],
    ['total of its statistics', stats.total, occurrences],
    ['users of its statistics', stats.users_affected, users],
    ['sum of its releases', stats.releases.reduce((sum, { count }) => sum + count, 0), occurrences],
    ...stats.environments.map((one) => [one.environment, one.count, places.get(one.environment)?.length] as const),
  ] as const
  return counts
    .filter(([, counted, expected]) => counted !== expected)
    .map(([name, counted, expected]) => `${issue.short_id}: ${name} ${String(counted)}, not ${String(expected)}`)
}

/** All rows of a list. */
async function pages<P extends { next_page_token: string }, R>(
  served: Served,
  path: string,
  rowsIn: (page: P) => readonly R[],
): Promise<R[]> {
  const rows: R[] = []
  for (let token = ''; ;) {
    const from = token === '' ? '' : `&pagination.page_token=${encodeURIComponent(token)}`
    const page = await get<P>(served, `${path}?page_size=200${from}`)
    rows.push(...rowsIn(page))
    token = page.next_page_token
    if (token === '') return rows
  }
}

/** Waits as long as the rate limit asks for. */
async function get<T>({ endpoints }: Served, path: string): Promise<T> {
  for (;;) {
    const reply = await fetch(endpoints.rest + path, { headers: { authorization: `Bearer ${endpoints.token}` } })
    if (reply.ok) return (await reply.json()) as T
    if (reply.status !== 429) throw new Error(`${path}: ${String(reply.status)} ${await reply.text()}`)
    await reply.body?.cancel()
    await sleep(1_000 * Number(reply.headers.get('retry-after') ?? 1))
  }
}

/** What `integrity_check` and `foreign_key_check` say of the file, which may be open elsewhere; nothing if it is sound. */
export function damage(dataDir: string): string[] {
  const db = new DatabaseSync(join(dataDir, 'tracegate.db'), { readOnly: true })
  try {
    const said = db.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[]
    const dangling = db.prepare('PRAGMA foreign_key_check').all()
    const found = said.map((row) => row.integrity_check).filter((text) => text !== 'ok')
    return [...found, ...dangling.map((row) => JSON.stringify(row))]
  } finally {
    db.close()
  }
}
