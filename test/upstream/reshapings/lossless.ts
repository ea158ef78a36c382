import type { Reshapings } from '../reshaping.ts'
import { envelopes } from './envelopes.ts'
import { values } from './values.ts'
import { wire } from './wire.ts'

/** Reshapings that lose nothing: every tool gives the same result as from the embedded service. */
export const lossless: Reshapings = { ...values, ...envelopes, ...wire }

/** One of each kind, together: as much as one deployment can do at once. */
export const allAtOnce: readonly string[] = [
  'nanoseconds',
  'enumsWithoutPrefix',
  'signalObjects',
  'withoutZeros',
  'int64',
  'nullRows',
  'tokenInPagination',
  'unknownMembers',
  'camelCase',
  'items',
  'inSuccess',
  'pathPrefix',
  'smallPages',
  'errorsInError',
  'textPlain',
  'byteOrderMark',
  'gzip',
]
