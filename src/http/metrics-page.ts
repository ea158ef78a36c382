import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isLoopback } from '../lib/network/loopback.ts'
import { parseBearer } from '../lib/network/bearer.ts'

/** The metrics of this process, and who may read them (decision 116). */
export interface MetricsPage {
  /** What collectors have to show; without it, only this machine may read. */
  token?: string | undefined
  /** Whether this server is meant for this machine alone. */
  isLocal: boolean
  read(this: void): Promise<{ contentType: string; text: string }>
}

export interface MetricsRefusal {
  code: 'unauthenticated' | 'permission_denied'
  message: string
}

/** Why a request may not read the metrics; undefined if it may. `hostname` is the one that it names. */
export function refuseMetrics(
  { token, isLocal }: Pick<MetricsPage, 'token' | 'isLocal'>,
  { headers, socket }: IncomingMessage,
  hostname: string | undefined,
): MetricsRefusal | undefined {
  if (token !== undefined) {
    const given = parseBearer(headers.authorization)
    if (given !== undefined && isSame(given, token)) return undefined
    return { code: 'unauthenticated', message: 'send Authorization: Bearer with the value of TRACEGATE_METRICS_TOKEN' }
  }
  // A proxy of this machine passes on requests of others, and a name that is not ours may have been rebound to us.
  const isForwarded = forwardingHeaders.some((name) => headers[name] !== undefined)
  const isHere = isLoopback(bareAddress(socket.remoteAddress)) && hostname !== undefined && isLoopback(hostname)
  if (isLocal && isHere && !isForwarded && headers.origin === undefined) return undefined
  return {
    code: 'permission_denied',
    message:
      'only this machine may read the metrics of this server; for others the operator sets TRACEGATE_METRICS_TOKEN',
  }
}

const forwardingHeaders = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via']

function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'))
}

/** `::ffff:127.0.0.1` as `127.0.0.1`. */
function bareAddress(address = ''): string {
  return address.replace(/^::ffff:/, '')
}
