import type { Right } from './fault.ts'

/** The same attempt later works, so what may be repeated recovers. */
export const passes: Right = { read: ['ok'], idempotent: ['ok'], other: ['outcome_unknown'] }

/** As `passes`, but the service cannot have done it. */
export const passesUndone: Right = { ...passes, other: ['ok', 'upstream_unavailable', 'outcome_unknown'] }

/** No attempt works, and writes may have been done. */
export const stays: Right = {
  read: ['upstream_unavailable'],
  idempotent: ['outcome_unknown'],
  other: ['outcome_unknown'],
}

/** No attempt works, and none reaches the service. */
export const staysUndone: Right = {
  read: ['upstream_unavailable'],
  idempotent: ['upstream_unavailable', 'outcome_unknown'],
  other: ['upstream_unavailable', 'outcome_unknown'],
}

/** The answer cannot be read: whether a write was done is unknown, unless its answer has no content in any case. */
export const unreadable: Right = {
  read: ['upstream_shape_unknown'],
  idempotent: ['ok', 'outcome_unknown'],
  other: ['outcome_unknown'],
}

/** As `unreadable`, but the client may take the answer for a broken connection and repeat a read. */
export const unreadableOrBroken: Right = {
  ...unreadable,
  read: ['ok', 'upstream_shape_unknown', 'upstream_unavailable'],
}

/** The answer is refused before the service sees the request, with this code for every request. */
export function refused(...codes: Right['read']): Right {
  return { read: codes, idempotent: codes, other: codes }
}
