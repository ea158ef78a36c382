import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** What answers at an origin. */
export interface Health {
  version: string
  /** True when it has proved that it knows the token, without either side having sent it. */
  proved: boolean
}

/** The server at an origin; undefined when none of ours answers there. With a token its proof of that is checked. */
export async function healthOf(origin: string, token = ''): Promise<Health | undefined> {
  const nonce = randomBytes(32).toString('hex')
  try {
    const address = `${origin}/healthz?nonce=${nonce}`
    const reply = await fetch(address, { signal: AbortSignal.timeout(3000), redirect: 'error' })
    const health = (await reply.json()) as { status?: unknown; version?: unknown; proof?: unknown }
    if (health.status !== 'ok' || typeof health.version !== 'string') return undefined
    const expected = proofOf(token, nonce, portOf(origin))
    return { version: health.version, proved: token !== '' && same(health.proof, expected) }
  } catch {
    return undefined
  }
}

/**
 * What `/healthz` answers a nonce with: only who has the token can, and only for the port it is reached by, so that a
 * stranger on another port cannot pass the question on.
 */
export function proofOf(token: string, nonce: string, port: number): string {
  return createHmac('sha256', token)
    .update(`tracegate healthz ${String(port)} ${nonce}`)
    .digest('hex')
}

/** The port an origin is reached by. */
function portOf(origin: string): number {
  const { port, protocol } = new URL(origin)
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
}

function same(given: unknown, expected: string): boolean {
  if (typeof given !== 'string' || given.length !== expected.length) return false
  return timingSafeEqual(Buffer.from(given), Buffer.from(expected))
}
