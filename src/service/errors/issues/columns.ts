import type { Selectable } from 'kysely'
import * as z from 'zod'
import { Grouping } from '../../../contract/issues.ts'
import { SymbolicationState } from '../../../contract/events.ts'
import type { IssueRow } from '../../sql/schema.ts'

/** A row of `issue`. */
export type StoredIssue = Selectable<IssueRow>

/** The JSON columns of issues and occurrences; written by the store, parsed where they are read. */

/** `occurrence.summary`: the members of EventSummary that no other column holds. */
export const Summary = z.object({
  level: z.string(),
  platform: z.string(),
  environment: z.string(),
  release: z.string(),
  dist: z.string(),
  title: z.string(),
  message: z.string(),
  transaction: z.string(),
  server_name: z.string(),
  handled: z.boolean(),
  symbolication_state: SymbolicationState,
})

/**
 * `issue.corroboration`: facts of the newest occurrence; counters, files and the release are read when the issue is
 * shown.
 */
export const StoredCorroboration = z.object({
  release_id: z.string(),
  frames_total: z.int(),
  frames_symbolicated: z.int(),
  sdk_known: z.boolean(),
})

/** `issue.grouping`, set by the first occurrence and updated when source maps are added (`resymbolicate`). */
export const StoredGrouping = z.object({
  algorithm: z.string(),
  basis: Grouping.shape.basis,
  hash: z.string(),
  explanation: z.array(z.string()),
})

/** `issue.causes`. */
export const StoredCauses = z.array(z.string())

/** `issue.resolved_in`: environment id -> id of its newest known release when the issue was resolved. */
export const ResolvedIn = z.record(z.string(), z.string())

/** `issue.fixed_in`: the release, commit or next release that an issue is resolved in (contract §10.3). */
export const StoredFixedIn = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('release'), release_id: z.string() }),
  z.object({ kind: z.literal('commit'), commit: z.string() }),
  z.object({ kind: z.literal('next') }),
])
export type FixedIn = z.output<typeof StoredFixedIn>

/** `issue.ignore_until`: what ends the ignoring (contract §10.3). */
export const StoredIgnoreUntil = z.discriminatedUnion('kind', [
  /** `from` is `times_seen` when it was ignored. */
  z.object({ kind: z.literal('count'), count: z.int(), from: z.int() }),
  /** Epoch milliseconds. */
  z.object({ kind: z.literal('time'), until: z.int() }),
  /** `newest` is like `resolved_in`, of the time when it was ignored. */
  z.object({ kind: z.literal('release'), newest: ResolvedIn }),
])
export type IgnoreUntil = z.output<typeof StoredIgnoreUntil>
