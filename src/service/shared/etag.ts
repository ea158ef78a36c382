import { hash } from 'node:crypto'
import { ServiceError } from '../../errors.ts'

/** Opaque tag of one version of a resource (contract §0.6). */
export function computeEtag(id: string | number, version: number): string {
  return hash('sha256', `${id}\n${version}`, 'base64url').slice(0, 16)
}

/**
 * Throws `ETAG_MISMATCH` when the resource has changed since the version that the caller named; without one, the last
 * write wins.
 */
export function checkEtag(given: string | undefined, current: string): void {
  if (given === undefined || given === '' || given === current) return
  throw new ServiceError('aborted', 'the resource has changed since it was read; read it again, then decide', {
    reason: 'ETAG_MISMATCH',
    metadata: { etag: current },
  })
}
