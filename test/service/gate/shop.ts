import { insertDsnKey } from '../../../src/service/workspace/dsn-keys.ts'
import { systemPlatform } from '../../../src/service/shared/platform.ts'
import type { App, Reply } from '../../app.ts'
import { workspaceId } from '../people.ts'

type Headers = Record<string, string | undefined>

export interface Identified {
  id: string
}

/** A small product of its own in a running service, with a public and a server key. */
export interface Shop {
  path: string
  /** One request as the owner, who is a person unless `headers` say otherwise; whatever it answers. */
  send<T = Record<string, unknown>>(method: string, path: string, body?: object, headers?: Headers): Promise<Reply<T>>
  /** One request that must succeed. */
  must<T>(method: string, path: string, body?: object, headers?: Headers): Promise<T>
  /** Sends one event with the public or the server key. */
  event(key: 'public' | 'server', event: object): Promise<void>
  /** A report of run `key` with one case per name, in `cart.test.ts`. */
  report(results: Readonly<Record<string, string>>, run?: object): Promise<void>
  requirement(more?: object): Promise<Identified>
  test(title: string, more?: object): Promise<Identified>
  link(test: Identified, requirement: Identified, more?: object): Promise<void>
  /** The status of the gate in a scope, computed and stored. */
  compute(scope?: object): Promise<Verdict>
}

export interface Verdict {
  id: string
  status: string
  status_reason: string
  inputs_digest: string
  stale: boolean
}

let shops = 0

/** Creates a product in the service, which tests with many small products share. */
export async function openShop(app: App): Promise<Shop> {
  const name = `Shop ${String(++shops)}`
  const created = await app.request<{ product: Identified }>(
    'POST',
    `/v1/workspaces/${await workspaceId(app)}/products`,
    { name },
  )
  const { id } = created.body.product
  const path = `/v1/products/${id}`
  const keys = await app.db.write(async (rows) => ({
    public: await insertDsnKey(rows, systemPlatform, Number(id), { kind: 'public', ratePerSecond: 0 }),
    server: await insertDsnKey(rows, systemPlatform, Number(id), { kind: 'server', ratePerSecond: 0 }),
  }))
  const send: Shop['send'] = (method, to, body, headers) => app.request(method, to, body, headers)
  const must: Shop['must'] = async (method, to, body, headers) => {
    const reply = await send(method, to, body, headers)
    if (reply.status !== 200) throw new Error(`${method} ${to}: ${JSON.stringify(reply.body)}`)
    return reply.body as never
  }
  return {
    path,
    send,
    must,
    async event(key, event) {
      const lines = ['{}', '{"type":"event"}', JSON.stringify({ platform: 'node', level: 'error', ...event })]
      const headers = { 'content-type': 'application/x-svc-envelope', authorization: undefined }
      await must('POST', `/api/${id}/envelope/?svc_key=${keys[key]}`, lines.join('\n') as never, headers)
    },
    async report(results, run = {}) {
      const cases = Object.entries(results).map(([title, status]) => ({ ...place, name: title, status }))
      await must('POST', `${path}/tests:ingest`, { draft: { cases }, run })
    },
    async requirement(more = {}) {
      const body = { title: 'The total is right', status: 'APPROVED', priority: 'CRITICAL', ...more }
      return (await must<{ requirement: Identified }>('POST', `${path}/requirements`, body)).requirement
    },
    async test(title, more = {}) {
      const body = { kind: 'CASE', title, automation_ref: { ...place, name: title }, ...more }
      return (await must<{ test: Identified }>('POST', `${path}/tests`, body)).test
    },
    async link(test, requirement, more = {}) {
      await must('POST', `/v1/tests/${test.id}/links`, { requirement_id: requirement.id, ...more })
    },
    async compute(scope = {}) {
      return (await must<{ verdict: Verdict }>('POST', `${path}/quality-gate:compute`, scope)).verdict
    },
  }
}

const place = { file_path: 'test/cart.test.ts', suite_path: [] as string[] }
