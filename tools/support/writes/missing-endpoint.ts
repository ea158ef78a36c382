import { isEndpointMissing, ServiceError } from '../../../src/errors.ts'
import { TeachingError } from '../../../src/mcp/result/teach.ts'

/**
 * Whether the deployment does not offer an endpoint. `error` is the failure of a request about a thing that this call has
 * read: a gateway's 404 for an unknown route has no reason, and the thing itself exists.
 */
export function isMissing(error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError)) return false
  return isEndpointMissing(error) || (error.code === 'not_found' && error.reason === 'NOT_FOUND')
}

/** The failure of a tool whose endpoint this deployment does not offer. `stillWorks` says what to do instead. */
export function notOffered(what: string, stillWorks: string, cause: ServiceError): TeachingError {
  const { reason } = cause
  return new TeachingError(
    'unimplemented',
    `this deployment does not offer ${what}`,
    { hint: stillWorks },
    { reason, cause },
  )
}
