import { Capabilities } from '../../../src/client/capabilities/capabilities.ts'
import { createApi, type ClientOptions } from '../../../src/client/client.ts'
import type { Send, WireRequest } from '../../../src/contract/base/wire.ts'
import { virtualClock } from '../../virtual-clock.ts'
import { runEvent } from '../../service/rest/stream-router.ts'

/** The behaviour of a deployment on one connection. */
export interface Scripted {
  status?: number
  type?: string
  /** The body in the pieces in which it arrives. */
  pieces?: readonly (string | Uint8Array)[]
  /** How the connection goes on after the pieces. */
  afterwards?: 'end' | 'break' | 'silence'
}

/** A client of a deployment that follows a script, one step per connection; the last step is repeated. */
export function scriptedClient(script: readonly Scripted[], options: Partial<ClientOptions> = {}) {
  const requests: WireRequest[] = []
  const waits: number[] = []
  const clock = virtualClock()
  const send: Send = (request) => {
    const connection = script[Math.min(requests.length, script.length - 1)] ?? {}
    requests.push(request)
    const { status = 200, type = 'application/json' } = connection
    return Promise.resolve({ status, headers: { 'content-type': type }, body: body(connection, request.signal) })
  }
  const api = createApi({
    send,
    baseUrl: 'https://quality.invalid',
    token: 'tg_secret',
    clock,
    capabilities: new Capabilities(),
    sleep: (milliseconds) => {
      waits.push(milliseconds)
      return Promise.resolve()
    },
    ...options,
  })
  return {
    api,
    clock,
    requests,
    waits,
    /** The requested places in the queries. */
    places: () => requests.map(({ url }) => new URL(url).searchParams.get('after_sequence')),
  }
}

async function* body({ pieces = [], afterwards = 'end' }: Scripted, signal: AbortSignal | undefined) {
  for (const piece of pieces) yield Buffer.from(piece)
  if (afterwards === 'break') throw Object.assign(new Error('cut'), { code: 'ECONNRESET' })
  if (afterwards === 'silence') await new Promise<void>((end) => signal?.addEventListener('abort', () => end()))
}

/** Lines of JSON with events of these numbers. */
export function lines(...sequences: number[]): string {
  return sequences.map((sequence) => `${JSON.stringify({ result: runEvent(sequence) })}\n`).join('')
}

/** The line of the last event. */
export function lastLine(sequence: number): string {
  return lines(sequence).replace('TYPE_LOG', 'TYPE_COMPLETED')
}

/** Server-sent events with these numbers. */
export function sse(...sequences: number[]): string {
  const event = (sequence: number) =>
    `id: ${String(sequence)}\nevent: run_event\ndata: ${JSON.stringify(runEvent(sequence).event)}\n\n`
  return sequences.map(event).join('')
}

export function lastSse(sequence: number): string {
  return sse(sequence).replace('TYPE_LOG', 'TYPE_COMPLETED')
}
