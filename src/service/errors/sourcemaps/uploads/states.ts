import type * as z from 'zod'
import type { SourceMapState } from '../../../../contract/sourcemaps.ts'
import { ServiceError } from '../../../../errors.ts'
import { dayMs } from '../../../shared/times.ts'

export type State = z.output<typeof SourceMapState>

/** States in which bytes are taken, and taken again. */
export const openStates = ['SOURCEMAP_STATE_PENDING_UPLOAD', 'SOURCEMAP_STATE_UPLOADED'] as const satisfies State[]

/** After so long without a confirm an upload is over (contract §11). */
export const unconfirmedMs = dayMs

/** The upload is past the state in which bytes are taken. */
export function alreadyConfirmed(id: string): ServiceError {
  return new ServiceError('aborted', `source map ${id} takes no more bytes; create another upload`, {
    reason: 'UPLOAD_CLOSED',
    metadata: { id },
  })
}
