import { ServiceError } from '../../errors.ts'

/** Longest line, and longest data of an event, that are kept in memory. */
const MAX_CHARACTERS = 8 * 1024 * 1024

/** One JSON text of a stream as it arrived. */
export interface StreamPart {
  text: string
  /** The name and the id of a server-sent event; empty if it has none. */
  name: string
  id: string
  /** Whether the stream ended in this text, which may be the beginning of a longer one. */
  isCut: boolean
}

/**
 * The texts of a streamed response as they arrive: one per line (NDJSON) or one per event (SSE, whose `data:` lines are
 * joined). Empty lines and comments are skipped. Throws `upstream_shape_unknown` for one that is too long.
 */
export async function* streamParts(
  body: AsyncIterable<Uint8Array>,
  contentType: string | undefined,
): AsyncGenerator<StreamPart> {
  const isSse = contentType?.trim().toLowerCase().startsWith('text/event-stream') === true
  for await (const part of isSse ? events(lines(body)) : lines(body)) {
    if (part.text.trim() !== '') yield part
  }
}

async function* lines(body: AsyncIterable<Uint8Array>): AsyncGenerator<StreamPart> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n')
    rest += first
    for (const next of others) {
      yield { ...nothing, text: withoutReturn(rest) }
      rest = next
    }
    requireShort(rest)
  }
  rest += decoder.decode()
  if (rest !== '') yield { ...nothing, text: withoutReturn(rest), isCut: true }
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

const nothing: StreamPart = { text: '', name: '', id: '', isCut: false }

/** The events of a stream of lines. */
async function* events(source: AsyncIterable<StreamPart>): AsyncGenerator<StreamPart> {
  let event = nothing
  for await (const line of source) {
    if (line.text === '') {
      yield event
      event = nothing
    } else {
      event = withField(event, line)
      requireShort(event.text)
    }
  }
  yield { ...event, isCut: true }
}

/** The event with the field of a line; other fields than `data`, `event` and `id` are ignored. */
function withField(event: StreamPart, { text: line, isCut }: StreamPart): StreamPart {
  const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
  if (field === 'data') return { ...event, text: event.text === '' ? value : `${event.text}\n${value}` }
  if (isCut) return event
  if (field === 'event') return { ...event, name: value }
  return field === 'id' ? { ...event, id: value } : event
}

function requireShort(text: string): void {
  if (text.length > MAX_CHARACTERS)
    throw new ServiceError('upstream_shape_unknown', 'an item of the stream is too long')
}
