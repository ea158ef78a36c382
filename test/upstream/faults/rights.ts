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

/** The answer cannot be read: of a write nobody knows whether it was done, unless its answer says nothing anyway. */
export const unreadable: Right = {
  read: ['upstream_shape_unknown'],
  idempotent: ['ok', 'outcome_unknown'],
  other: ['outcome_unknown'],
}

/** The answer is refused before the service sees the request, with this code for every request. */
export function refused(...codes: Right['read']): Right {
  return { read: codes, idempotent: codes, other: codes }
}
