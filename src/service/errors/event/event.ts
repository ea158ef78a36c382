import type * as z from 'zod'
import type { Event } from '../../../contract/events.ts'

type EventBody = z.input<typeof Event>

/** What only grouping reads of a frame; members are absent when the SDK sent nothing. Never served. */
export interface FrameSigns {
  /** The language, where it is another than the event's. */
  platform?: string
  /** The binary or assembly: `/lib/libc.so.6`. */
  package?: string
  /** The place in its binary: the binary's id and the address relative to its start, `1f0a… 2a40`. */
  address?: string
}

/** What only grouping reads of an exception. Never served. */
export interface ExceptionSigns {
  /** Domain and code of an `NSError`, as text. */
  ns_error?: readonly [domain: string, code: string]
}

/** What only grouping reads of an event. Never served. */
export interface EventSigns {
  /** The grouping key of SDKs older than fingerprints. */
  checksum?: string
}

/** Members of the contract's Event that an envelope fills; the service fills the others. */
export type NormalFrame = EventBody['exceptions'][number]['frames'][number] & { signs?: FrameSigns }
export type NormalException = Omit<EventBody['exceptions'][number], 'frames'> & {
  frames: NormalFrame[]
  signs?: ExceptionSigns
}
export type NormalThread = Omit<EventBody['threads'][number], 'frames'> & { frames: NormalFrame[] }

/**
 * One event after normalisation (contract §12): every member present and of its type, strings cut to their limits,
 * times in epoch milliseconds. Produced by `ingest/normalise`, read by grouping, symbolication and the store.
 */
export interface NormalEvent extends Pick<
  EventBody,
  | 'sdk_event_id'
  | 'level'
  | 'platform'
  | 'environment'
  | 'release'
  | 'dist'
  | 'message'
  | 'transaction'
  | 'server_name'
  | 'handled'
  | 'logger'
  | 'message_template'
  | 'message_params'
  | 'breadcrumbs'
  | 'tags'
  | 'user'
  | 'request'
  | 'contexts'
  | 'extra'
  | 'modules'
  | 'sdk'
  | 'fingerprint'
  | 'debug_images'
  | 'truncation_signals'
> {
  exceptions: NormalException[]
  threads: NormalThread[]
  signs?: EventSigns
  /** Epoch ms, clamped and corrected for clock drift. */
  timestamp: number
  received_at: number
  /** `sha256` of what identifies the user (id, else email, username, address), 32 hex; '' without a user. */
  user_hash: string
  size_bytes: number
  /** How far the sender's clock was behind ours, in milliseconds, when that is more than a minute. Never served. */
  drift?: number
  /** The payload as it was received, for `include_raw`. */
  raw_payload: Record<string, unknown>
}

/** Result of grouping (`grouping/`): pure function of the event and the algorithm version. */
export interface GroupingResult {
  algorithm: 'tracegate-1'
  basis: 'stack' | 'value' | 'message' | 'fingerprint' | 'hybrid' | 'fallback'
  /** 32 hex. */
  hash: string
  /** Further hashes that lead to the same issue (system variant, hash before symbolication), best first, without `hash`. */
  other_hashes: string[]
  explanation: string[]
  /** `type: value`, or the message; one line, ≤ 250 characters. */
  title: string
  type: string
  value: string
  /** Location: `function (file)` of the frame nearest to the crash, else the transaction. */
  culprit: string
  /** For each exception (by index) and frame: its role and the reason, which are written back to the frames. */
  frames: { exception_index: number; index: number; role: 'contributes' | 'ignored'; reason: string }[]
}

/** How events that share a loose hash may differ. */
type Difference = 'map' | 'engine' | 'build'

/**
 * A hash of less than the event contains: without the map, in words common to all engines, without names chosen by a
 * build. It leads to an issue only while none of `unless` is known. Those hashes are attached by events that contain as
 * much and are at another place in the code (decision 014).
 */
export interface LooseHash {
  hash: string
  unless: readonly string[]
  across: Difference
}
