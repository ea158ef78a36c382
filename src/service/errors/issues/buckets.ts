import type * as z from 'zod'
import type { Period } from '../../../contract/base/common.ts'

export type PeriodName = z.output<typeof Period>

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** How long each period looks back, in milliseconds (`3m` is three minutes, contract §10.2). */
export const periodMs: Readonly<Record<PeriodName, number>> = {
  '3m': 3 * MINUTE_MS,
  '1h': HOUR_MS,
  '12h': 12 * HOUR_MS,
  '1d': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
}

/** Bucket width of each period's series, in seconds (contract §10.2). */
export const bucketSeconds: Readonly<Record<PeriodName, number>> = {
  '3m': 10,
  '1h': 60,
  '12h': 600,
  '1d': 1800,
  '7d': 7200,
  '30d': 86400,
}

/**
 * Stored resolutions (seconds) and how long their rows are kept: at least as long as the longest period that is read
 * from them.
 */
export const resolutions = [
  { seconds: 10, keptMs: 2 * HOUR_MS },
  { seconds: 600, keptMs: 3 * DAY_MS },
  { seconds: 3600, keptMs: Number.POSITIVE_INFINITY },
] as const

/** The stored resolution that a period's buckets are summed from. */
export function storedResolution(period: PeriodName): number {
  if (bucketSeconds[period] < 600) return 10
  return bucketSeconds[period] < 3600 ? 600 : 3600
}

/** Start of the UTC-aligned bucket that holds `time` (both epoch milliseconds). */
export function bucketStart(time: number, seconds: number): number {
  const width = seconds * 1000
  return Math.floor(time / width) * width
}

/**
 * The buckets of a trailing period: whole, UTC aligned, the last one holding `now`. `from` is inclusive, `to` exclusive
 * (epoch milliseconds).
 */
export function periodWindow(period: PeriodName, now: number): { from: number; to: number; widthMs: number } {
  const widthMs = bucketSeconds[period] * 1000
  const to = bucketStart(now, bucketSeconds[period]) + widthMs
  return { from: to - periodMs[period], to, widthMs }
}
