import { counted } from '../../src/lib/counted.ts'
import { clean, cutTo, inOneLine } from '../../src/mcp/text/clean.ts'
import { redact } from '../../src/mcp/text/redact.ts'
import type { Received } from '../../src/client/api.ts'
import type { Issue } from '../../src/contract/issues.ts'
import type * as z from 'zod'
import type { Untrusted } from '../../src/contract/base/text.ts'
import { knownName } from '../../src/mcp/text/untrusted.ts'

export type ToldIssue = Received<z.output<typeof Issue>>

/** A time to the second: `2026-11-21T03:54:12Z`. */
export function toSecond(time: string | null | undefined): string | undefined {
  return time?.replace(/\.\d+(?=Z|[+-])/, '')
}

/** A time to the minute, `2026-11-21T03:54Z`: enough for a list, and cheaper for whoever reads it. */
export function toMinute(time: string | null | undefined): string | undefined {
  return time?.replace(/(T\d\d:\d\d):\d\d(?:\.\d+)?(?=Z|[+-])/, '$1')
}

/** `ISSUE_SUBSTATUS_REGRESSED` as `regressed`; a value we do not know stays as it came. */
export function withoutPrefix(value: string | undefined, prefix: string): string | undefined {
  return value?.startsWith(prefix) === true ? value.slice(prefix.length).toLowerCase() : value
}

/** The version where the workspace vouches for it, else that only events named it. */
export function vouched(name: Untrusted<string> | undefined, known: boolean | undefined): string | undefined {
  return name === undefined ? undefined : (knownName(name, known) ?? 'named only by events')
}

/** How many of the four signs of contract §10.1 speak for the issue being real, `2/4`. */
export function corroborationScore(issue: ToldIssue): string {
  const score = issue.corroboration?.score
  return score === undefined ? 'not stated' : `${String(score)}/4`
}

/** What speaks for the event being real (mcp §6.7), beside how often and since when it was seen. */
export function corroborationOf(issue: ToldIssue) {
  const facts = issue.corroboration
  if (facts === undefined) return { score: 'not stated' }
  return {
    score: corroborationScore(issue),
    release_known: facts.release_known,
    in_app_frames: facts.frames_total,
    frames_symbolicated: facts.frames_symbolicated,
    files_matched: facts.files_matched,
    sdk_known: facts.sdk_known,
  }
}

/** `SHOP-31 is unresolved: unhandled error; seen 2 times by 2 users, last at …`: how an issue stands. */
export function issueSentence(issue: ToldIssue): string {
  const regressed = issue.is_regression === true ? ', regressed after it was resolved' : ''
  const times = issue.times_seen === undefined ? '' : `; seen ${counted(issue.times_seen, 'time')}`
  const users = issue.users_affected === undefined ? '' : ` by ${counted(issue.users_affected, 'user')}`
  const last = issue.last_seen === undefined ? '' : `, last at ${toMinute(issue.last_seen) ?? ''}`
  const handled = issue.handled === false ? 'unhandled ' : ''
  return `${issue.short_id ?? issue.id} is ${issue.status ?? 'of unknown status'}${regressed}: ${handled}${issue.level ?? 'error'}${times}${users}${last}.`
}

/** Of whose text the untrusted block of an error is. */
export const errorEvent = { source: 'error event', writableBy: 'anyone with the public DSN' } as const

/**
 * What a member or a member's agent wrote, for the trusted part: one line, cleaned and redacted. An agent may have copied
 * an error's text into it, so it must not be able to look like a line of ours.
 */
export function noteLine(note: string | undefined, characters = 300): string | undefined {
  if (note === undefined || note === '') return undefined
  return cutTo(redact(inOneLine(clean(note).text)).text.replaceAll('<', '‹'), characters)
}
