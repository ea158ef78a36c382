import type { Selectable } from 'kysely'
import * as z from 'zod'
import { Grouping } from '../../../contract/issues.ts'
import { SymbolicationState } from '../../../contract/events.ts'
import type { IssueRow } from '../../sql/schema.ts'

/** A row of `issue`. */
export type StoredIssue = Selectable<IssueRow>

/** The JSON columns of issues and occurrences; written by the store, parsed where they are read. */

/** Members of a summary that most events have at the same value. They are not stored at it: each occurrence has one. */
const usual = {
  level: 'error',
  dist: '',
  message: '',
  transaction: '',
  server_name: '',
  handled: true,
  symbolication_state: 'SYMBOLICATION_STATE_NOT_NEEDED',
} as const

/** `occurrence.summary`: the members of EventSummary that no other column holds. */
export const Summary = z.object({
  level: z.string().default(usual.level),
  platform: z.string(),
  environment: z.string(),
  release: z.string(),
  dist: z.string().default(usual.dist),
  title: z.string(),
  message: z.string().default(usual.message),
  transaction: z.string().default(usual.transaction),
  server_name: z.string().default(usual.server_name),
  handled: z.boolean().default(usual.handled),
  symbolication_state: SymbolicationState.default(usual.symbolication_state),
})

/** The text of `occurrence.summary`. */
export function writeSummary(summary: z.output<typeof Summary>): string {
  const stored: Record<string, unknown> = {}
  for (const name in summary) {
    const value = summary[name as keyof typeof summary]
    if (usual[name as keyof typeof usual] !== value) stored[name] = value
  }
  return JSON.stringify(stored)
}

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
