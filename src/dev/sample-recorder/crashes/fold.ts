import { isDeepStrictEqual } from 'node:util'
import { findEvent, parseEnvelope } from '../../../service/sample/envelope.ts'
import type { RecordedRequest } from '../../../service/sample/recording.ts'

/** Folds equal crashes into one line: the first in full, and only the differences of the others. */
export function fold(requests: readonly RecordedRequest[]): RecordedRequest {
  const [first, ...others] = requests
  if (!first) throw new Error('nothing to fold')
  const vary = varying(first)
  const repeat = others.map((other): [number, ...string[]] => {
    const values = varying(other)
    const expected = vary.reduce((body, text, position) => body.replaceAll(text, values[position] ?? ''), first.body)
    if (!isDeepStrictEqual(essence(expected), essence(other.body))) {
      throw new Error(`crashes that should be equal differ:\n${expected}\n${other.body}`)
    }
    return [other.offset_ms, ...values]
  })
  return { ...first, vary, repeat }
}

/** The values that differ between crashes: ids, the user, the order number. */
function varying({ body }: RecordedRequest): string[] {
  const envelope = parseEnvelope(body)
  const event = findEvent(envelope) ?? {}
  const { trace_id, span_id, parent_span_id } = (event['contexts'] as { trace: Record<string, string> }).trace
  const { id, username, email, ip_address } = event['user'] as Record<string, string>
  const order = /SO-\d+/.exec(body)?.[0]
  const { sample_rand } = envelope.header['trace'] as Record<string, string>
  const { headers } = event['request'] as { headers: Record<string, string> }
  const ids = [event['event_id'], trace_id, span_id, parent_span_id, sample_rand, id]
  return [...ids, username, email, ip_address, headers['user-agent'], order].filter(
    (value) => typeof value === 'string',
  )
}

/** Times always differ; a breadcrumb of a request that has just ended sometimes misses the report. */
const incidental = new Set(['timestamp', 'app_start_time', 'sent_at', 'breadcrumbs'])

function essence(body: string): unknown {
  const lines = body.trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line, (key, value: unknown) => (incidental.has(key) ? null : value)))
}
