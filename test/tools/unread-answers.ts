import { createApi } from '../../src/client/client.ts'
import type { Send, WireReply } from '../../src/contract/base/wire.ts'
import { origin, type App } from '../app.ts'
import { connect, type Connected } from '../mcp/clients.ts'
import { reshaped } from '../upstream/reshaped.ts'
import { watched, type Watched } from '../upstream/watched.ts'

/** Whether a request is one that writes, or the one write that a test is about. */
export type IsWrite = (method: string, path: string) => boolean

const anyWrite: IsWrite = (method) => method !== 'GET'

/** What becomes of the answer to a write that was done, in the order of how much of it arrives. */
export const losses = ['reset', '502', 'emptyWrites', 'noContentWrites', 'emptyObjectWrites', 'htmlWrites', 'cutWrites']

/** A deployment that does each such write, and whose answer to it is lost in this way. */
export function losing(send: Send, loss: string, isWrite: IsWrite = anyWrite): Send {
  const lossy = loss === 'reset' || loss === '502' ? doneAnd(send, loss) : reshaped(send, loss)
  return (request) => (isWrite(request.method, new URL(request.url).pathname) ? lossy : send)(request)
}

/** The write is done; then the connection ends, or a proxy says that it got no answer. */
function doneAnd(send: Send, loss: 'reset' | '502'): Send {
  return async (request) => {
    const reply = await send(request)
    if (request.method === 'GET' || reply.status >= 300) return reply
    if (loss === 'reset') throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
    return { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad Gateway</h1>' } satisfies WireReply
  }
}

/** The same, and no read after the first such write is answered. */
export function losingAll(send: Send, isWrite: IsWrite = anyWrite): Send {
  const lossy = losing(send, '502', isWrite)
  let isDown = false
  return async (request) => {
    if (isDown) return { status: 503, headers: {}, body: '' }
    if (isWrite(request.method, new URL(request.url).pathname)) isDown = true
    return lossy(request)
  }
}

export interface Elsewhere extends Connected {
  /** Every request that reached the service. */
  sent: Watched['log']
  /** `POST /v1/tests/1/links`: the requests that are no reads. */
  writes(): string[]
}

/** An agent of the deployment that `change` makes of the service; nothing waits before a retry. */
export async function connectElsewhere(app: App, change: (send: Send) => Send): Promise<Elsewhere> {
  const seen = watched(app.service.direct)
  const send = change(seen)
  const api = createApi({ send, baseUrl: origin, token: app.token, sleep: () => Promise.resolve() })
  const agent = await connect(api, { options: { toolsets: ['all'] } })
  return Object.assign(agent, {
    sent: seen.log,
    writes: () => seen.log.flatMap(({ method, path }) => (method === 'GET' ? [] : [`${method} ${path}`])),
  })
}
