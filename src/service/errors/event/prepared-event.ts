import type { GroupingResult, LooseHash, NormalEvent } from './event.ts'

/** What a transaction needs of an event, and nothing that grows with its stack or breadcrumbs. */
export interface PreparedEvent {
  event: EventFacts
  grouping: Omit<GroupingResult, 'frames'> & { loose_hashes: readonly LooseHash[] }
  /** JSON of `OccurrenceRow.summary`. */
  summary: string
  /** The event as it was sent, so that source maps uploaded later can be applied to it. */
  packed: PackedBody
  /** JSON of its exceptions and threads with source maps applied; undefined where these changed nothing. */
  mapped: Uint8Array | undefined
  /** The code that it claims is not in the sources of its release. */
  contradicted: boolean
  /** Its text reads like instructions to an agent (mcp §6.6). */
  suspicious: boolean
  /** Types of the errors that caused it. */
  causes: readonly string[]
  /** Signs that it is real, without the release. */
  signs: { frames_total: number; frames_symbolicated: number; sdk_known: boolean }
}

/** A body, and the dictionary that it was packed with. */
export interface PackedBody {
  body: Uint8Array
  dictionary: Dictionary
}

/** What the bodies of one place in the code are packed with; a row of `body_dictionary`. */
export interface Dictionary {
  id: number
  /** Epoch milliseconds. */
  madeAt: number
  /** Its text, packed. */
  packed: Uint8Array
}

export type EventFacts = Pick<
  NormalEvent,
  | 'sdk_event_id'
  | 'timestamp'
  | 'received_at'
  | 'level'
  | 'platform'
  | 'handled'
  | 'environment'
  | 'release'
  | 'user_hash'
  | 'size_bytes'
>
