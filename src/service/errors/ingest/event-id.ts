/** An SDK's id (with dashes or without, any case) as 32 lower-case hex digits, or undefined when it is not an id. */
function readEventId(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const id = value.trim().toLowerCase()
  if (/^[\da-f]{32}$/.test(id)) return id
  return /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/.test(id) ? id.replaceAll('-', '') : undefined
}

/**
 * One id per event of an envelope (contract §12). For a single event, the envelope header's id takes precedence over
 * its own; several events keep their own, and the header's goes to the first without one. Missing ids come from
 * `generate`.
 */
export function assignEventIds(header: unknown, own: readonly unknown[], generate: () => string): string[] {
  const ids = own.map(readEventId)
  let spare = readEventId(header)
  if (ids.length === 1) return [spare ?? ids[0] ?? generate()]
  if (spare !== undefined && ids.includes(spare)) spare = undefined
  return ids.map((id) => {
    if (id !== undefined) return id
    const assigned = spare ?? generate()
    spare = undefined
    return assigned
  })
}
