import { ServiceError } from '../../errors.ts'

/** Longest line that is kept in memory. */
const MAX_LINE_CHARACTERS = 8 * 1024 * 1024

/** One JSON text of a stream as it arrived. */
export interface StreamPart {
  text: string
  /** The name and the id of a server-sent event; '' where there is none. */
  name: string
  id: string
  /** Whether the stream ended before its end: it may be the beginning of a longer text. */
  isCut: boolean
}

/**
 * The texts of a streamed response as they arrive: one per line (NDJSON) or one per event (SSE, whose `data:` lines are
 * joined). Empty lines and comments are skipped. Throws `upstream_shape_unknown` for a line that is too long.
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
    if (rest.length > MAX_LINE_CHARACTERS)
      throw new ServiceError('upstream_shape_unknown', 'a line of the stream is too long')
  }
  rest += decoder.decode()
  if (rest !== '') yield { ...nothing, text: withoutReturn(rest), isCut: true }
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

const nothing: StreamPart = { text: '', name: '', id: '', isCut: false }

/** The events of a stream of lines; other fields than these three have no meaning here. */
async function* events(source: AsyncIterable<StreamPart>): AsyncGenerator<StreamPart> {
  let data: string[] = []
  let fields = nothing
  for await (const { text: line, isCut } of source) {
    if (line === '') {
      yield { ...fields, text: data.join('\n') }
      data = []
      fields = nothing
      continue
    }
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
    if (field === 'data') data.push(value)
    else if ((field === 'event' || field === 'id') && !isCut)
      fields = { ...fields, [field === 'event' ? 'name' : 'id']: value }
  }
  yield { ...fields, text: data.join('\n'), isCut: true }
}
