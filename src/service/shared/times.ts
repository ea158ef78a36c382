export const minuteMs = 60 * 1000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** The date of the time that was written last: a page or an event has many times of one day, and the date takes longest. */
let last = { day: Number.NaN, date: '' }

/** RFC 3339 UTC with milliseconds of an epoch time (contract §0.1): what `toISOString` returns, in a third of the time. */
export function timestamp(ms: number): string {
  const whole = Math.trunc(ms)
  const day = Math.floor(whole / dayMs)
  if (day !== last.day) last = { day, date: new Date(whole).toISOString().slice(0, -'hh:mm:ss.mmmZ'.length) }
  const left = whole - day * dayMs
  const hours = twoDigits(Math.floor(left / hourMs))
  const minutes = twoDigits(Math.floor((left % hourMs) / minuteMs))
  const seconds = twoDigits(Math.floor((left % minuteMs) / 1000))
  return `${last.date}${hours}:${minutes}:${seconds}.${String(left % 1000).padStart(3, '0')}Z`
}

function twoDigits(number: number): string {
  return number < 10 ? `0${String(number)}` : String(number)
}

/** The same, or null if there is no time. */
export function timestampOrNull(ms: number | null): string | null {
  return ms === null ? null : timestamp(ms)
}
