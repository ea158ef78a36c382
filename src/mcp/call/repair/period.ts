const HOURS: ReadonlyMap<string, number> = new Map(
  Object.entries({ h: 1, hr: 1, hour: 1, d: 24, day: 24, w: 168, wk: 168, week: 168 }),
)
const SPELLING = /^(?:(?:the )?(?:last|past) )?(\d{1,4})?[ _-]?([a-z]+?)s?$/

/**
 * The window meant by another spelling (`24h`, `1w`, `7 days`), when one of the values is exactly as long. Nothing that
 * could mean minutes or months is guessed.
 */
export function matchPeriod(values: readonly string[], text: string): string | undefined {
  const hours = periodHours(text)
  return hours === undefined ? undefined : values.find((value) => periodHours(value) === hours)
}

function periodHours(text: string): number | undefined {
  const [, count = '1', unit = ''] = SPELLING.exec(text.trim().toLowerCase()) ?? []
  const hours = HOURS.get(unit)
  return hours === undefined ? undefined : Number(count) * hours
}

/** What an error says to a spelling that could mean minutes or months. */
export function periodHint(text: string): string | undefined {
  const [, , unit = ''] = SPELLING.exec(text.trim().toLowerCase()) ?? []
  return unit.startsWith('m') ? '3m = three minutes; for a month send 30d' : undefined
}
