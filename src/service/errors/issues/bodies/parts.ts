import { LRUCache } from 'lru-cache'
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

/** Bytes of parts that are remembered for a connection, and for how long after they were last asked for. */
const REMEMBERED = 4_000_000
const REMEMBERED_MS = 600_000
/** Of an event, and of a character of a payload with what was read from it. */
const EVENT_BYTES = 400
const CHARACTER_BYTES = 4
/** Characters for a byte of a packed body. */
const UNPACKED_CHARACTERS = 10

interface Remembered extends PartsReader {
  /** By the id of the occurrence. */
  events: Map<string, EventParts>
}

/** By issue. What an occurrence is never changes, and its id is not used again. */
const remembered = new WeakMap<Rows, LRUCache<string, Remembered>>()

/**
 * Reads occurrences of an issue in parts, and none again that was read within minutes, as each tool of an agent that fixes the
 * issue does. `body` is what the occurrence has now; undefined where retention has removed it since.
 */
export function createIssuePartsReader(
  rows: Rows,
  issueId: string,
): (occurrence: PackedEvent & { id: string }) => Promise<EventParts | undefined> {
  const all = rememberedIn(rows)
  const known = all.get(issueId) ?? { ...createPartsReader(rows), events: new Map<string, EventParts>() }
  return async (occurrence) => {
    const found = known.events.get(occurrence.id)
    if (found !== undefined) return found
    const parts = await known.read(occurrence)
    if (parts === undefined) return undefined
    known.events.set(occurrence.id, parts)
    // The cache weighs a value when it is added, and not when the same one is set again.
    all.delete(issueId)
    // One that has become too large is for this answer alone.
    all.set(issueId, known)
    return parts
  }
}

function rememberedIn(rows: Rows): LRUCache<string, Remembered> {
  const known = remembered.get(rows)
  if (known !== undefined) return known
  const all = new LRUCache<string, Remembered>({
    maxSize: REMEMBERED,
    ttl: REMEMBERED_MS,
    updateAgeOnGet: true,
    sizeCalculation: ({ events, characters }) => EVENT_BYTES * (events.size + 1) + CHARACTER_BYTES * characters(),
  })
  remembered.set(rows, all)
  return all
}

interface PartsReader {
  read: (packed: PackedEvent) => Promise<EventParts | undefined>
  /** Characters of the payloads that it holds. */
  characters: () => number
}

/**
 * Reads events in parts, and each distinct part once: events of an issue are mostly alike. What was read is kept as long as
 * the reader, so a reader is for a bounded number of events.
 */
function createPartsReader(rows: Rows): PartsReader {
  const unpack = createUnpacker(rows, unpackLines)
  const found = new Map<string, string>()
  const numbers = new Map<string, number>()
  const known = new Map<string, StoredEvent>()
  let characters = 0

  /** A short name for a text: a key of whole texts would be copied and hashed for each event. */
  function numberText(text: string | undefined): number {
    if (text === undefined) return -1
    const number = numbers.get(text) ?? numbers.size
    numbers.set(text, number)
    return number
  }

  /** Texts that are held, and what was read from them. */
  function size(): number {
    return found.size + numbers.size + known.size
  }

  function read(part: keyof typeof PARTS, facts: Facts, members: ReadonlyMap<string, string>): StoredEvent {
    const [_id, _receivedAt, _size, drift, sdk] = facts
    const texts = PARTS[part].map((name) => members.get(name))
    const key = `${part} ${JSON.stringify([drift, sdk])} ${texts.map(numberText).join()}`
    const event = known.get(key) ?? readEvent(facts, pickMembers(PARTS[part], members))
    known.set(key, event)
    return event
  }

  return {
    characters: () => characters,
    async read(packed) {
      const unpacked = await unpack(packed)
      if (unpacked === undefined) return undefined
      if ('event' in unpacked) {
        const { event } = unpacked
        characters += UNPACKED_CHARACTERS * packed.body.byteLength
        return { stacks: event, breadcrumbs: event.breadcrumbs, surroundings: event }
      }
      const { facts, payload } = unpacked
      const before = size()
      const members = splitMembers(payload, found)
      const parts = {
        stacks: read('stacks', facts, members),
        breadcrumbs: read('breadcrumbs', facts, members).breadcrumbs,
        surroundings: read('surroundings', facts, members),
      }
      // A text that was cut from a payload keeps all of it in memory. The same texts are read again for another clock or SDK.
      if (size() > before) characters += payload.length
      return parts
    },
  }
}

function pickMembers(names: readonly string[], members: ReadonlyMap<string, string>): JsonObject {
  const texts = names.flatMap((name) => {
    const text = members.get(name)
    return text === undefined ? [] : `"${name}":${text}`
  })
  return JSON.parse(`{${texts.join()}}`) as JsonObject
}
