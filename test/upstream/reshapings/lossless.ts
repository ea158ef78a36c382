import type { Reshapings } from '../reshaping.ts'
import { envelopes } from './envelopes.ts'
import { values } from './values.ts'
import { wire } from './wire.ts'

/** Reshapings that lose nothing: every tool gives the same result as from the embedded service. */
export const lossless: Reshapings = { ...values, ...envelopes, ...wire }

/** As much as one deployment can do at once: one of each kind that the tools do not notice. */
export const allAtOnce: readonly string[] = [
  'nanoseconds',
  'enumsInLowerCase',
  'signalObjects',
  'int64',
  'nullRows',
  'tokenInPagination',
  'unknownMembers',
  'camelCase',
  'items',
  'inSuccess',
  'pathPrefix',
  'errorsInError',
  'textPlain',
  'byteOrderMark',
]
