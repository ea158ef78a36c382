import { dayMs, minuteMs, timestamp } from '../../../shared/times.ts'
import type { Signals } from './signals.ts'

/** Last millisecond that RFC 3339 can express with a four-digit year. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

const iso = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(Z|[+-]\d\d:?\d\d)?$/i

/** Epoch milliseconds from epoch seconds (number or digits) or ISO 8601, UTC unless it names a zone; else undefined. */
function readTime(value: unknown): number | undefined {
  const time = typeof value === 'string' ? fromText(value.trim()) : typeof value === 'number' ? fromNumber(value) : NaN
  return time >= 0 && time <= LAST_MS ? Math.trunc(time) : undefined
}

/** Seconds up to the year 5138; larger numbers are milliseconds, as some clients send. */
function fromNumber(value: number): number {
  return value < 1e11 ? value * 1000 : value
}

function fromText(text: string): number {
  if (/^\d+(?:\.\d+)?$/.test(text)) return fromNumber(Number(text))
  const match = iso.exec(text)
  if (!match) return NaN
  const zoned = match[1] ? text : text.length === 10 ? text : `${text}Z`
  return Date.parse(zoned.replace(' ', 'T'))
}

/**
 * How far the sender's clock is behind ours, in milliseconds, when the envelope's `sent_at` differs from the time of
 * receipt by more than a minute; else 0, because a smaller difference is the time of transport.
 */
export function clockDrift(sentAt: unknown, receivedAt: number): number {
  const sent = readTime(sentAt)
  const drift = sent === undefined ? 0 : receivedAt - sent
  return Math.abs(drift) > minuteMs ? drift : 0
}

/** The event's time, corrected by `drift` and clamped to [receipt − 30 days, receipt + 1 minute]; absent: the receipt. */
export function readEventTime(value: unknown, receivedAt: number, drift: number, signals: Signals): number {
  const time = readTime(value)
  if (time === undefined) {
    if (value !== undefined && value !== null) signals.note('timestamp', 'type', 0, 1)
    return receivedAt
  }
  const corrected = time + drift
  const clamped = Math.min(Math.max(corrected, receivedAt - 30 * dayMs), receivedAt + minuteMs)
  if (clamped !== corrected) signals.note('timestamp', 'range', 0, 1)
  return clamped
}

/** RFC 3339 of a time within an event (breadcrumbs), corrected by `drift`; null when absent or unreadable. */
export function readMoment(value: unknown, member: string, drift: number, signals: Signals): string | null {
  const time = readTime(value)
  const corrected = time === undefined ? NaN : time + drift
  if (corrected >= 0 && corrected <= LAST_MS) return timestamp(corrected)
  if (value !== undefined && value !== null) signals.note(member, 'type', 0, 1)
  return null
}
