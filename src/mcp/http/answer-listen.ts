import type { ServerResponse } from 'node:http'
import type { JSONRPCRequest } from '@modelcontextprotocol/server'
import { withTrace } from '../../lib/trace/context.ts'
import { beginRequest, responseOutcome, type Response as Answer, type SpanOptions } from '../trace/request-span.ts'
import { refusedListen } from '../tasks/listen.ts'
import { readListen, watchListened } from '../watch/listen.ts'
import type { Subscriptions } from '../watch/subscriptions.ts'
import { writeResponse } from './exchange.ts'
import type { ListenStream, ListenStreams } from './listen-streams.ts'

interface Listening {
  tracing: SpanOptions['tracing']
  streams: ListenStreams
  /** Opens what the stream watches; undefined where nothing can be watched. */
  watch: ((stream: ListenStream) => Subscriptions) | undefined
  answer(this: void, message: unknown): Promise<Response>
}

/**
 * Answers a `subscriptions/listen` request of the 2026-07-28 revision with a stream that lasts until its client leaves. Its
 * span ends with the stream.
 */
export async function answerListen(
  message: JSONRPCRequest,
  outgoing: ServerResponse,
  listening: Listening,
): Promise<void> {
  // No event would end what is begun here.
  if (outgoing.closed) return
  const { span, position } = beginRequest(message, { tracing: listening.tracing, network: 'tcp' })
  let outcome: ReturnType<typeof responseOutcome>
  outgoing.once('close', () => span?.end(outcome))
  await withTrace(position, async () => {
    const response = await respond(message, outgoing, listening)
    if (response === undefined) return
    outcome = await readOutcome(response)
    await writeResponse(outgoing, response)
  })
}

/** Undefined where the client has left meanwhile. */
async function respond(
  message: JSONRPCRequest,
  outgoing: ServerResponse,
  { streams, watch, answer }: Listening,
): Promise<Response | undefined> {
  const refused = refusedListen(message)
  if (refused !== undefined) return Response.json(refused, { status: 400 })
  const listen = readListen(message)
  if (listen === undefined || watch === undefined) return answer(message)
  const stream: ListenStream = { updated: () => {} }
  const subscriptions = watch(stream)
  outgoing.once('close', () => subscriptions.close())
  const watched = await watchListened(listen, subscriptions)
  return outgoing.destroyed ? undefined : streams.serve(stream, () => answer(watched))
}

/** A stream that was opened ends without an error, whoever ends it. */
async function readOutcome(response: Response): Promise<ReturnType<typeof responseOutcome>> {
  if (response.headers.get('content-type') === 'text/event-stream') return {}
  return responseOutcome((await response.clone().json()) as Answer)
}
