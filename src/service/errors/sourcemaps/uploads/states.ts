import type * as z from 'zod'
import type { SourceMapState } from '../../../../contract/sourcemaps.ts'
import { ServiceError } from '../../../../errors.ts'
import { dayMs } from '../../../shared/times.ts'

export type State = z.output<typeof SourceMapState>

/** States in which bytes are accepted, also repeatedly. */
export const openStates = ['SOURCEMAP_STATE_PENDING_UPLOAD', 'SOURCEMAP_STATE_UPLOADED'] as const satisfies State[]

/** An upload expires after this time without a confirm (contract §11). */
export const unconfirmedMs = dayMs

/** The upload no longer accepts bytes. */
export function alreadyConfirmed(id: string): ServiceError {
  return new ServiceError('aborted', `source map ${id} accepts no more bytes; create another upload`, {
    reason: 'UPLOAD_CLOSED',
    metadata: { id },
  })
}
