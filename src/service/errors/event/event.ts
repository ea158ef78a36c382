import type * as z from 'zod'
import type { Event } from '../../../contract/events.ts'

type EventBody = z.input<typeof Event>

/** Members of the contract's Event that an envelope fills; the service fills the others. */
export type NormalFrame = EventBody['exceptions'][number]['frames'][number]
export type NormalException = EventBody['exceptions'][number]
export type NormalThread = EventBody['threads'][number]

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
  | 'exceptions'
  | 'threads'
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
  /** Epoch ms, clamped and corrected for clock drift. */
  timestamp: number
  received_at: number
  /** `sha256` of what identifies the user (id, else email, username, address), 32 hex; '' without a user. */
  user_hash: string
  size_bytes: number
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
