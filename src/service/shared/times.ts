export const hourMs = 60 * 60 * 1000
export const dayMs = 24 * hourMs

/** RFC 3339 UTC with milliseconds of an epoch time (contract §0.1). */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString()
}

/** The same, or null if there is no time. */
export function timestampOrNull(ms: number | null): string | null {
  return ms === null ? null : timestamp(ms)
}
