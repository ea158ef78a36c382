import type { Reading } from '../../client/capabilities/reading.ts'
import type { NextAction } from '../result/next-action.ts'
import { describeValue, TeachingError } from '../result/teach.ts'

interface Lookup {
  kind: string
  parameter: string
  next: NextAction | readonly NextAction[]
  /** Whether rows were found for a key, and no row shows its own key. */
  areKeysHidden?: boolean
}

/**
 * For a key or title that was not found. Throws where the deployment does not look it up: its rows show no keys, or only
 * the first of them were read. Returns where it was looked up among all rows.
 */
export function requireSearched(
  given: string,
  { filteredHere, notApplied, isComplete, rowsRead = 0 }: Reading,
  { kind, parameter, next, areKeysHidden = false }: Lookup,
): void {
  const lesson = { sent: `${parameter} = ${describeValue(given)}`, next: [next].flat() }
  if (areKeysHidden || notApplied.some((name) => name === 'key' || name === 'short_id')) {
    const message = `this deployment does not show the keys of ${kind}s`
    throw new TeachingError('wrong_id_kind', message, { ...lesson, expected: `${parameter}: an id` })
  }
  if (filteredHere.length === 0 || isComplete === true) return
  const message = `${kind} not found among the first ${rowsRead.toLocaleString('en')}: this deployment does not search`
  throw new TeachingError('not_found', message, { ...lesson, expected: `${parameter}: an id` })
}
