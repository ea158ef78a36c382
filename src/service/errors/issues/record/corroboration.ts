import { LRUCache } from 'lru-cache'
import type * as z from 'zod'
import { withEqualNumbers } from '../../../../lib/outside-text/equal-numbers.ts'
import { findFlags, isAlarming } from '../../../../lib/outside-text/flags.ts'
import type { NormalEvent } from '../../event/event.ts'
import type { PreparedEvent } from '../../event/prepared-event.ts'
import type { StoredCorroboration } from '../columns.ts'
import { isKnownSdk } from './sdk-names.ts'

/** Characters of a title, culprit and message that are looked through; the cost is that of the longest of them. */
const MOST_CHARACTERS = 1_000
/** Bytes of the texts whose answer is remembered, because crashes repeat: those of about 10,000 issues. */
const REMEMBERED_BYTES = 4 * 1024 ** 2
/** What remembering one takes in addition to its text. */
const ENTRY_BYTES = 200

/** Whether title, culprit or message of an event read like instructions to an agent. */
export function createSuspicion(): (texts: readonly string[]) => boolean {
  const known = new LRUCache<string, boolean>({
    maxSize: REMEMBERED_BYTES,
    sizeCalculation: (_, text) => 2 * text.length + ENTRY_BYTES,
  })
  return (texts) => {
    // Messages of one crash often differ in a number alone.
    const text = texts.map((part) => withEqualNumbers(part.slice(0, MOST_CHARACTERS))).join('\n')
    const before = known.get(text)
    if (before !== undefined) return before
    const answer = isAlarming(findFlags(text))
    known.set(text, answer)
    return answer
  }
}

/**
 * The signs in the newest occurrence itself that it is real (contract §10.1): its in-app frames and how many of them a
 * source map resolved, its SDK. How many of its files are known from members is counted when the issue
 * is read (`readIssueParts`).
 */
export function corroborate(event: Pick<NormalEvent, 'exceptions' | 'sdk'>): PreparedEvent['signs'] {
  const frames = event.exceptions.flatMap((exception) => exception.frames).filter((frame) => frame.in_app)
  return {
    frames_total: frames.length,
    frames_symbolicated: frames.filter((frame) => frame.symbolicated).length,
    sdk_known: isKnownSdk(event.sdk.name),
  }
}

/** `issue.corroboration` of the newest occurrence. */
export function storedCorroboration(releaseId: string, signs: PreparedEvent['signs']): string {
  return JSON.stringify({ release_id: releaseId, ...signs } satisfies z.input<typeof StoredCorroboration>)
}
