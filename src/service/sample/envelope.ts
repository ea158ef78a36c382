import type { JsonObject } from '../../lib/objects.ts'

export interface EnvelopeItem {
  header: JsonObject & { type: string }
  payload: string
}

/** An envelope as the JavaScript SDKs write it: text items only. */
export interface Envelope {
  header: JsonObject
  items: EnvelopeItem[]
}

/** Reads an envelope whose payloads are each one line of text, or have a length. */
export function parseEnvelope(text: string): Envelope {
  let rest = text
  const line = () => {
    const [first = ''] = rest.split('\n', 1)
    rest = rest.slice(first.length + 1)
    return first
  }
  const header = JSON.parse(line()) as JsonObject
  const items: EnvelopeItem[] = []
  while (rest.trim() !== '') {
    const itemHeader = JSON.parse(line()) as EnvelopeItem['header']
    if (typeof itemHeader['length'] === 'number') {
      const payload = Buffer.from(rest).subarray(0, itemHeader['length']).toString()
      rest = rest.slice(payload.length + 1)
      items.push({ header: itemHeader, payload })
    } else items.push({ header: itemHeader, payload: line() })
  }
  return { header, items }
}

/** Writes an envelope; lengths of items are corrected. */
export function formatEnvelope({ header, items }: Envelope): string {
  const lines = items.flatMap(({ header: itemHeader, payload }) => [
    JSON.stringify('length' in itemHeader ? { ...itemHeader, length: Buffer.byteLength(payload) } : itemHeader),
    payload,
  ])
  return `${[JSON.stringify(header), ...lines].join('\n')}\n`
}

/** The same envelope with every event changed. */
export function mapEvents(envelope: Envelope, change: (event: JsonObject) => JsonObject): Envelope {
  const items = envelope.items.map((item) =>
    item.header.type === 'event'
      ? { ...item, payload: JSON.stringify(change(JSON.parse(item.payload) as JsonObject)) }
      : item,
  )
  return { ...envelope, items }
}

/** The event of an envelope, if it has one. */
export function findEvent(envelope: Envelope): JsonObject | undefined {
  const item = envelope.items.find(({ header }) => header.type === 'event')
  return item && (JSON.parse(item.payload) as JsonObject)
}
