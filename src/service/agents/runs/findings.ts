import type { EventData } from '../define.ts'
import type { NewEvent } from './append.ts'

const MOST_FINDINGS = 200

/** The event of a finding of one run; after 200 of them one warning, then none. */
export type FindingEvent = (message: string, data: EventData | undefined) => NewEvent | undefined

/** Counts the findings of one run. */
export function countFindings(): FindingEvent {
  let findings = 0
  return (message, data) => {
    findings += 1
    if (findings <= MOST_FINDINGS) return { kind: 'FINDING', message, data }
    return findings === MOST_FINDINGS + 1 ? tooMany : undefined
  }
}

const tooMany: NewEvent = {
  kind: 'WARNING',
  message: `Only the first ${String(MOST_FINDINGS)} findings have an event; the output of the run has the others.`,
}
