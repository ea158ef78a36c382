import { contract, type ResponseOf } from '../../../src/contract/index.ts'
import type { WireReply } from '../../../src/contract/base/wire.ts'
import { createSymbolicator } from '../../../src/service/errors/sourcemaps/symbolicate/symbolicator.ts'
import { createAuthenticator } from '../../../src/service/rest/auth.ts'
import { createIdempotency } from '../../../src/service/rest/idempotency.ts'
import { createRouter, type RouterOptions } from '../../../src/service/rest/router.ts'
import { createOpenStreams } from '../../../src/service/rest/streams/open-streams.ts'
import type { Handlers } from '../../../src/service/shared/context.ts'
import type { LogEntry } from '../../../src/service/shared/log.ts'
import { systemPlatform } from '../../../src/service/shared/platform.ts'
import { origin, type App } from '../../app.ts'
import { virtualClock } from '../../virtual-clock.ts'

export type Item = ResponseOf<'streamAgentRunEvents'>
type StreamHandlers = Handlers<'streamAgentRunEvents'>

/** An event of a run as the contract has it. */
export function runEvent(sequence: number): Item {
  return {
    event: {
      id: `event-${String(sequence)}`,
      run_id: 'r',
      sequence,
      type: 'AGENT_RUN_EVENT_TYPE_LOG',
      level: 'info',
      message: `line ${String(sequence)}`,
      data: {},
      created_at: '2026-01-31T12:00:00.000Z',
    },
  }
}

/** A handler whose stream gives the items that the test puts in, and a record of how it was used. */
export function source() {
  const items: (Item | Error | 'end')[] = []
  const seen = { places: [] as (number | undefined)[], given: 0, hasEnded: false }
  let wake = () => {}
  async function* give(signal: AbortSignal): AsyncGenerator<Item, void> {
    signal.addEventListener('abort', () => wake())
    try {
      while (!signal.aborted) {
        const item = items.shift()
        if (item === 'end') return
        if (item instanceof Error) throw item
        if (item === undefined) await new Promise<void>((resolve) => (wake = resolve))
        else {
          seen.given += 1
          yield item
        }
      }
    } finally {
      seen.hasEnded = true
    }
  }
  return {
    seen,
    put: (...more: (Item | Error | 'end')[]) => {
      items.push(...more)
      wake()
    },
    handlers: {
      streamAgentRunEvents: ({ after_sequence }) => {
        seen.places.push(after_sequence)
        return Promise.resolve(give)
      },
    } satisfies StreamHandlers,
  }
}

/** A router over the app's database whose only endpoint is the stream, with a clock that the test sets forward. */
export function streamRouter(app: App, handlers: StreamHandlers, options: Partial<RouterOptions> = {}) {
  const clock = virtualClock()
  const streams = createOpenStreams()
  const logged: LogEntry[] = []
  const parts = { db: app.db, platform: systemPlatform, log: (entry: LogEntry) => void logged.push(entry) }
  const send = createRouter({
    ...parts,
    symbolicator: createSymbolicator({ db: app.db, tables: app.dataDir }),
    handlers,
    authenticator: createAuthenticator(parts),
    idempotency: createIdempotency(parts),
    checkResponses: true,
    streams,
    clock,
    ...options,
  })
  const path = contract.streamAgentRunEvents.path.replace('{run_id}', 'r')
  return {
    clock,
    streams,
    logged,
    /** Asks for the stream; `query` begins with a question mark. */
    ask: (
      headers: Record<string, string> = {},
      { query = '', signal }: { query?: string; signal?: AbortSignal } = {},
    ) => {
      const url = origin + path + query
      const all = { authorization: `Bearer ${app.token}`, ...headers }
      return send({ method: 'GET', url, headers: all, ...(signal !== undefined && { signal }) })
    },
  }
}

/** Reads the body of a reply piece by piece. */
export function reading({ body }: WireReply) {
  if (typeof body === 'string' || body instanceof Uint8Array) throw new Error('the reply is not a stream')
  const pieces = body[Symbol.asyncIterator]()
  return {
    /** The next piece as text; undefined at the end. */
    async next(): Promise<string | undefined> {
      const { done, value } = await pieces.next()
      return done === true ? undefined : Buffer.from(value).toString()
    },
    leave: () => pieces.return?.(),
  }
}
