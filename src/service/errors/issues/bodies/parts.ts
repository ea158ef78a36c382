import type { JsonObject } from '../../../../lib/objects.ts'
import type { Rows } from '../../../sql/database.ts'
import { readEvent, unpackLines, type Facts, type StoredEvent } from './body.ts'
import { splitMembers } from './members.ts'
import { createUnpacker, type PackedEvent } from './read.ts'

/** Members of a payload that `normalise` reads together, for what is compared. */
const PARTS = {
  stacks: ['platform', 'sdk', 'release', 'dist', 'debug_meta', 'exception', 'stacktrace', 'threads'],
  breadcrumbs: ['breadcrumbs'],
  surroundings: ['message', 'logentry', 'tags', 'request', 'contexts', 'extra'],
} as const

/** An event in parts. Events that were sent with the same members have the very same part. */
export interface EventParts {
  stacks: Pick<StoredEvent, 'platform' | 'release' | 'dist' | 'exceptions' | 'threads'>
  breadcrumbs: StoredEvent['breadcrumbs']
  surroundings: Pick<StoredEvent, 'message_params' | 'tags' | 'request' | 'contexts' | 'extra'>
}

/**
 * Reads events in parts, and each distinct part once: events of an issue are mostly alike. What was read is kept as long as
 * the reader, so a reader is for a bounded number of events.
 */
export function createPartsReader(rows: Rows): (packed: PackedEvent) => Promise<EventParts> {
  const unpack = createUnpacker(rows, unpackLines)
  const found = new Map<string, string>()
  const numbers = new Map<string, number>()
  const known = new Map<string, StoredEvent>()

  /** A short name for a text: a key of whole texts would be copied and hashed for each event. */
  function numberText(text: string | undefined): number {
    if (text === undefined) return -1
    const number = numbers.get(text) ?? numbers.size
    numbers.set(text, number)
    return number
  }

  function read(part: keyof typeof PARTS, facts: Facts, members: ReadonlyMap<string, string>): StoredEvent {
    const [_id, _receivedAt, _size, drift, sdk] = facts
    const texts = PARTS[part].map((name) => members.get(name))
    const key = `${part} ${JSON.stringify([drift, sdk])} ${texts.map(numberText).join()}`
    const event = known.get(key) ?? readEvent(facts, pickMembers(PARTS[part], members))
    known.set(key, event)
    return event
  }

  return async (packed) => {
    const unpacked = await unpack(packed)
    if ('event' in unpacked) {
      const { event } = unpacked
      return { stacks: event, breadcrumbs: event.breadcrumbs, surroundings: event }
    }
    const { facts, payload } = unpacked
    const members = splitMembers(payload, found)
    return {
      stacks: read('stacks', facts, members),
      breadcrumbs: read('breadcrumbs', facts, members).breadcrumbs,
      surroundings: read('surroundings', facts, members),
    }
  }
}

function pickMembers(names: readonly string[], members: ReadonlyMap<string, string>): JsonObject {
  const texts = names.flatMap((name) => {
    const text = members.get(name)
    return text === undefined ? [] : `"${name}":${text}`
  })
  return JSON.parse(`{${texts.join()}}`) as JsonObject
}
