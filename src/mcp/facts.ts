import type { Told } from '../client/api.ts'
import type { Issue } from '../contract/issues.ts'
import type * as z from 'zod'
import type { Untrusted } from '../contract/text.ts'
import { knownName } from './untrusted.ts'

export type ToldIssue = Told<z.output<typeof Issue>>

/** A time to the second: `2026-11-21T03:54:12Z`. */
export function toSecond(time: string | null | undefined): string | undefined {
  return time?.replace(/\.\d+(?=Z|[+-])/, '')
}

/** `ISSUE_SUBSTATUS_REGRESSED` as `regressed`; a value we do not know stays as it came. */
export function withoutPrefix(value: string | undefined, prefix: string): string | undefined {
  return value?.startsWith(prefix) === true ? value.slice(prefix.length).toLowerCase() : value
}

/** The version where the workspace vouches for it, else that only events named it. */
export function vouched(name: Untrusted<string> | undefined, known: boolean | undefined): string | undefined {
  return name === undefined ? undefined : (knownName(name, known) ?? 'named only by events')
}

/** `1 user`, `2 users`. */
export function counted(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** How many of the four signs of CONTRACT §10 speak for the issue being real. */
export function corroborationScore(issue: ToldIssue): string {
  const score = issue.corroboration?.score
  return score === undefined ? 'not stated' : `${String(score)} of 4`
}

/** What speaks for the event being real (SAFETY §1, layer 7). */
export function corroborationOf(issue: ToldIssue) {
  const facts = issue.corroboration
  if (facts === undefined) return { score: 'not stated' }
  return {
    score: corroborationScore(issue),
    release_known: facts.release_known,
    in_app_frames: facts.frames_total,
    frames_symbolicated: facts.frames_symbolicated,
    files_matched: facts.files_matched,
    users: facts.users,
    times_seen: facts.times_seen,
    first_seen: toSecond(facts.first_seen),
    sdk_known: facts.sdk_known,
  }
}

/** Of whose text the untrusted block of an error is. */
export const errorEvent = { source: 'error event', writableBy: 'anyone with the public DSN' } as const
