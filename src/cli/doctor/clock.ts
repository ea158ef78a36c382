import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding } from '../support/finding.ts'

const what = 'clock'

/** Signatures of confirmations and the times of events are compared across machines; they bear this much. */
const MOST_MS = 60_000

/** Compares the clock of this machine with the `Date` of an answer that came just now; undefined for an answer without one. */
export function compareClock(date: string | undefined, now: number): Finding | undefined {
  const theirs = date === undefined ? NaN : Date.parse(date)
  if (Number.isNaN(theirs)) return undefined
  const ahead = now - theirs
  if (Math.abs(ahead) <= MOST_MS) return { what, ok: true, found: 'agrees with that of the service' }
  const found = `${inWords(Math.abs(ahead))} ${ahead > 0 ? 'ahead of' : 'behind'} that of the service`
  return { what, ok: false, found, fix: 'set the clock of this machine or of the service by a time server (NTP)' }
}

/** Whether the clock was set back since the data directory was last written. */
export function checkClock(dataDir: string, now: number): Finding {
  const written = statSync(join(dataDir, 'tracegate.db'), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const behind = written - now
  if (behind <= MOST_MS) return { what, ok: true, found: `${new Date(now).toISOString().slice(0, 16)}Z` }
  const found = `${inWords(behind)} behind the last change of the database in ${dataDir}: it was set back`
  return { what, ok: false, found, fix: 'set the clock of this machine by a time server (NTP)' }
}

function inWords(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  if (minutes < 120) return `${String(minutes)} minutes`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${String(hours)} hours` : `${String(Math.round(hours / 24))} days`
}
