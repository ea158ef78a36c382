import { madeEventId, readEventId } from '../event/sdk-event-id.ts'

/**
 * One id per event of an envelope (contract §12). For a single event, the envelope header's id takes precedence over
 * its own, and an id of 32 hex digits over another text; several events keep their own, and the header's goes to the first
 * without one. Missing ids come from `generate`.
 */
export function assignEventIds(header: unknown, own: readonly unknown[], generate: () => string): string[] {
  if (own.length === 1) {
    const [only] = own
    return [readEventId(header) ?? readEventId(only) ?? madeEventId(header) ?? madeEventId(only) ?? generate()]
  }
  const ids = own.map((id) => readEventId(id) ?? madeEventId(id))
  let spare = readEventId(header) ?? madeEventId(header)
  if (spare !== undefined && ids.includes(spare)) spare = undefined
  return ids.map((id) => {
    if (id !== undefined) return id
    const assigned = spare ?? generate()
    spare = undefined
    return assigned
  })
}
