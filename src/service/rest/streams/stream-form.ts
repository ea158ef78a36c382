import { placeAfterResync, type StreamFacts } from '../../../contract/base/endpoint.ts'
import { isObject } from '../../../lib/objects.ts'

/** One value of the endpoint's `returns`: the member of an item, or that of a resync. */
export type StreamItem = Readonly<Record<string, unknown>>

/** How the items of a stream are written. */
export interface StreamForm {
  contentType: string
  item(this: void, item: StreamItem): string
  error(this: void, body: object): string
  /** Shows that the connection works. */
  heartbeat: string
  /** The silence before each heartbeat; undefined when there are none. */
  heartbeatMs: number | undefined
}

const PING_MS = 15_000

/** Content types that `Accept` may name; the first one wins among types of equal weight. */
const types = ['application/json', 'application/x-ndjson', 'text/event-stream'] as const

/** The form that `Accept` prefers; lines of JSON by default. */
export function chooseForm(facts: StreamFacts, accept: string | undefined, input: StreamItem): StreamForm {
  const preferred = preferredType(accept ?? '')
  if (preferred === 'text/event-stream') return serverSentEvents(facts)
  const seconds = input[facts.heartbeat]
  const heartbeatMs = typeof seconds === 'number' ? seconds * 1000 : undefined
  return { ...linesOfJson, contentType: preferred, heartbeatMs }
}

const linesOfJson = {
  item: (item: StreamItem) => `${JSON.stringify({ result: item })}\n`,
  error: (body: object) => `${JSON.stringify({ error: body })}\n`,
  heartbeat: '\n',
}

/** Server-sent events, whose ids are the numbers that a reader continues after (`Last-Event-ID`). */
function serverSentEvents({ member, number, eventName, resync }: StreamFacts): StreamForm {
  return {
    contentType: 'text/event-stream',
    item(item) {
      const told = item[resync.member]
      if (isObject(told)) {
        return eventText(resync.member, told, placeAfterResync(told[resync.first], Number(told[resync.last])))
      }
      const value = item[member]
      return eventText(eventName, value, isObject(value) ? Number(value[number]) : undefined)
    },
    error: (body) => eventText('error', { error: body }, undefined),
    heartbeat: ': ping\n\n',
    heartbeatMs: PING_MS,
  }
}

function eventText(name: string, data: unknown, id: number | undefined): string {
  const idLine = id === undefined ? '' : `id: ${String(id)}\n`
  return `${idLine}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}

/** The type with the highest weight in an `Accept` header (RFC 9110 §12.5.1); `application/json` if none is named. */
function preferredType(accept: string): (typeof types)[number] {
  const weights = new Map<string, number>()
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
    const weight = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1)
    if (Number.isFinite(weight)) weights.set(type, weight)
  }
  const [preferred = 'application/json'] = types.toSorted((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0))
  return preferred
}
