import { ServiceError } from '../errors.ts'

/** Longest line that is kept in memory. */
const maxLineChars = 8 * 1024 * 1024

/**
 * The JSON values of a streamed response, as they arrive: one per line (NDJSON) or one per event (SSE, whose `data:` lines
 * are joined). Throws `upstream_shape_unknown` for any other format.
 */
export async function* jsonStream(
  body: AsyncIterable<Uint8Array>,
  contentType: string | undefined,
): AsyncGenerator<unknown> {
  const texts = contentType?.startsWith('text/event-stream') === true ? eventData(lines(body)) : lines(body)
  for await (const text of texts) {
    if (text.trim() !== '') yield parse(text)
  }
}

async function* lines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true })
    const complete = rest.split('\n')
    rest = complete.pop() ?? ''
    if (rest.length > maxLineChars) throw unreadable('a line of the stream is too long')
    for (const line of complete) yield line.endsWith('\r') ? line.slice(0, -1) : line
  }
  rest += decoder.decode()
  if (rest !== '') yield rest
}

/** The data of each event; comments, event names and ids are skipped. */
async function* eventData(source: AsyncIterable<string>): AsyncGenerator<string> {
  let data: string[] = []
  for await (const line of source) {
    if (line === '' && data.length > 0) {
      yield data.join('\n')
      data = []
    }
    if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5))
  }
  if (data.length > 0) yield data.join('\n')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw unreadable('the stream is not JSON', cause)
  }
}

function unreadable(message: string, cause?: unknown): ServiceError {
  return new ServiceError('upstream_shape_unknown', message, { cause })
}
