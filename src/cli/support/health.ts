import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { networkSend } from '../../client/transport.ts'
import { replyText } from '../../contract/base/wire.ts'

/** A server that answers at an origin. */
export interface Health {
  version: string
  /** True when it has proved that it knows the token; neither side sends the token. */
  proved: boolean
}

/**
 * The Tracegate server at an origin; undefined when none answers. With a token, its proof of knowing it is checked. A server
 * of this machine is asked directly, even where Node's own `fetch` goes through a proxy (NODE_USE_ENV_PROXY).
 */
export async function checkHealth(origin: string, token = ''): Promise<Health | undefined> {
  const send = networkSend({ timeoutMs: 3000, connectTimeoutMs: 3000 })
  const nonce = randomBytes(32).toString('hex')
  try {
    const reply = await send({ method: 'GET', url: `${origin}/healthz?nonce=${nonce}`, headers: {} })
    const health = JSON.parse(await replyText(reply)) as { status?: unknown; version?: unknown; proof?: unknown }
    if (health.status !== 'ok' || typeof health.version !== 'string') return undefined
    const expected = healthProof(token, nonce, originPort(origin))
    return { version: health.version, proved: token !== '' && isEqual(health.proof, expected) }
  } catch {
    return undefined
  } finally {
    await send.close()
  }
}

/**
 * The answer of `/healthz` to a nonce. It requires the token, and it is bound to the port of the request, so that a
 * program on another port cannot relay the challenge.
 */
export function healthProof(token: string, nonce: string, port: number): string {
  return createHmac('sha256', token)
    .update(`tracegate healthz ${String(port)} ${nonce}`)
    .digest('hex')
}

/** The port of an origin, also the default one of its scheme. */
function originPort(origin: string): number {
  const { port, protocol } = new URL(origin)
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
}

function isEqual(given: unknown, expected: string): boolean {
  if (typeof given !== 'string' || given.length !== expected.length) return false
  return timingSafeEqual(Buffer.from(given), Buffer.from(expected))
}
