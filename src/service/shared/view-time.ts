import type { Call } from './context.ts'

/** The time that a view is made at. */
export interface ViewTime {
  /** Epoch milliseconds. */
  now: number
  /** Told the times at which the view becomes another one though nothing is written. */
  changesAt?: ((time: number) => void) | undefined
}

/** The time of the answer to a call. */
export function viewTime({ now, changesAt }: Pick<Call, 'now' | 'changesAt'>): ViewTime {
  return { now: now(), changesAt }
}
