import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { ResponseOf } from '../../src/contract/index.ts'
import { servePublished } from '../cli/published.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'tracegate-durability-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

const eventId = (worker: number, n: number) => worker.toString(16).padStart(8, '0') + n.toString(16).padStart(24, '0')

/** Sends events one after the other until the server is gone, and tells the ids that were answered 200. */
async function flood(envelopeUrl: string, worker: number, acknowledge: (id: string) => void): Promise<void> {
  for (let n = 0; n < 5000; n++) {
    const event_id = eventId(worker, n)
    const event = {
      event_id,
      message: `flood of worker ${String(worker % 3)}`,
      environment: 'production',
      release: 'flood@1',
    }
    const body = `{}\n{"type":"event"}\n${JSON.stringify(event)}\n`
    const reply = await fetch(envelopeUrl, { method: 'POST', body }).catch(() => undefined)
    if (reply === undefined) return
    if (reply.status === 200) acknowledge(event_id)
    await reply.body?.cancel()
  }
}

test('after kill -9 during a flood every acknowledged event is there, counted once', async () => {
  const acknowledged = new Set<string>()
  await using first = await servePublished({ dataDir, env: { TRACEGATE_LOG_LEVEL: 'error' } })
  const { host, username, pathname } = new URL(first.endpoints.dsn)
  const url = `http://${host}/api${pathname}/envelope/?svc_key=${username}`
  const enough = Promise.withResolvers<void>()
  const acknowledge = (id: string) => {
    // The burst of the specification is 200 events: enough for a kill amid open requests.
    if (acknowledged.add(id).size === 120) enough.resolve()
  }
  const workers = Promise.all(Array.from({ length: 16 }, (_, worker) => flood(url, worker, acknowledge)))
  await Promise.race([enough.promise, workers])
  await first.kill()
  await workers
  expect(acknowledged.size).toBeGreaterThanOrEqual(120)

  await using second = await servePublished({ dataDir })
  const product = second.endpoints.product_id
  const { issues } = await second.rest<ResponseOf<'listIssues'>>('GET', `/v1/products/${product}/issues`)
  const stored: string[] = []
  for (const issue of issues) stored.push(...(await eventIds(second, issue.id)))

  expect(stored).toEqual([...new Set(stored)])
  expect([...acknowledged].filter((id) => !stored.includes(id))).toEqual([])
  expect(issues.reduce((sum, issue) => sum + issue.times_seen, 0)).toBe(stored.length)

  const again = `{}\n{"type":"event"}\n${JSON.stringify({ event_id: [...acknowledged][0], message: 'once more' })}\n`
  const reply = await fetch(url.replace(host, new URL(second.endpoints.dsn).host), { method: 'POST', body: again })
  expect(reply.status).toBe(200)
  const after = await second.rest<ResponseOf<'listIssues'>>('GET', `/v1/products/${product}/issues`)
  expect(after.issues.map(({ times_seen }) => times_seen)).toEqual(issues.map(({ times_seen }) => times_seen))
})

async function eventIds(app: { rest<T>(method: string, path: string): Promise<T> }, issue: string): Promise<string[]> {
  const ids: string[] = []
  for (let token = ''; ;) {
    const query = `page_size=200${token === '' ? '' : `&pagination.page_token=${encodeURIComponent(token)}`}`
    const page = await app.rest<ResponseOf<'listIssueEvents'>>('GET', `/v1/issues/${issue}/events?${query}`)
    ids.push(...page.events.map((event) => event.sdk_event_id))
    token = page.next_page_token
    if (token === '') return ids
  }
}
