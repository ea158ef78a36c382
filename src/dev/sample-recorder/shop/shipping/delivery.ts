const dayMs = 86_400_000

/** The day a parcel arrives, as the page shows it: two working days after the wished day. */
export function deliveryDay(wished: string, locale = 'en'): string {
  const day = new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' })
  return day.format(addWorkingDays(new Date(wished), 2))
}

function addWorkingDays(from: Date, days: number): Date {
  let date = from
  for (let left = days; left > 0;) {
    date = new Date(date.getTime() + dayMs)
    if (date.getUTCDay() !== 0 && date.getUTCDay() !== 6) left -= 1
  }
  return date
}
