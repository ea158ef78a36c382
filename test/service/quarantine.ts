const day = 24 * 60 * 60 * 1000

/** The members of a request that puts a test into quarantine for some days from `now`. */
export function quarantine(reason: string, { days = 7, now = Date.now() }: { days?: number; now?: number } = {}) {
  return {
    quarantined: true,
    quarantine_reason: reason,
    quarantine_owner: 'Mira',
    quarantined_until: new Date(now + days * day).toISOString(),
  }
}
