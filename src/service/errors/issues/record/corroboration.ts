import type * as z from 'zod'
import { findFlags, isAlarming } from '../../../../lib/outside-text/flags.ts'
import type { NormalEvent } from '../../event/event.ts'
import type { StoredCorroboration } from '../columns.ts'
import { isKnownSdk } from './sdk-names.ts'

/** What speaks against an event. */
export interface Doubts {
  /** Its text reads like instructions to an agent (mcp §6.6). */
  suspicious: boolean
  /** The code that it claims is not in the sources of its release. */
  contradicted: boolean
}

/** Characters of a title, culprit and message that are looked through; the cost is that of the longest of them. */
const MOST_CHARACTERS = 1_000
/** Texts whose answer is remembered: crashes repeat. */
const MOST_TEXTS = 1_000

/** Whether title, culprit or message of an event read like instructions to an agent. */
export function createSuspicion(): (texts: readonly string[]) => boolean {
  const known = new Map<string, boolean>()
  return (texts) => {
    const text = texts.map((part) => part.slice(0, MOST_CHARACTERS)).join('\n')
    const before = known.get(text)
    if (before !== undefined) return before
    const answer = isAlarming(findFlags(text))
    if (known.size >= MOST_TEXTS) known.clear()
    known.set(text, answer)
    return answer
  }
}

/**
 * The signs in the newest occurrence itself that it is real (contract §10.1): its release, its in-app frames and how
 * many of them a source map resolved, its SDK. How many of its files are known from members is counted when the issue
 * is read (`matchedFiles`).
 */
export function corroborate(
  event: Pick<NormalEvent, 'exceptions' | 'sdk'>,
  releaseId: string,
): z.input<typeof StoredCorroboration> {
  const frames = event.exceptions.flatMap((exception) => exception.frames).filter((frame) => frame.in_app)
  return {
    release_id: releaseId,
    frames_total: frames.length,
    frames_symbolicated: frames.filter((frame) => frame.symbolicated).length,
    sdk_known: isKnownSdk(event.sdk.name),
  }
}
