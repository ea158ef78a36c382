import type { ServerResponse } from 'node:http'
import { isEndpointMissing, NOT_FROM_SERVICE, ServiceError } from '../../errors.ts'
import { IntakeError } from '../../lib/intake.ts'
import { isPermissionDenied } from './auth.ts'
import { BodyTooLarge } from './body.ts'
import { writeProblem } from './problem.ts'

/** Answers a request that failed before the protocol layer had it; `onError` gets what is a failure of this server. */
export function writeFailure(outgoing: ServerResponse, error: unknown, onError: (error: unknown) => void): void {
  if (error instanceof BodyTooLarge) {
    return writeProblem(outgoing, 413, 'the body exceeds 4 MiB', { headers: { connection: 'close' } })
  }
  if (error instanceof IntakeError) return writeIntakeProblem(outgoing, error)
  if (error instanceof SyntaxError) return writeProblem(outgoing, 400, 'Parse error', { code: -32_700 })
  // What a token may not do is no failure of this server.
  if (isPermissionDenied(error)) return writeProblem(outgoing, 403, error.message)
  onError(error)
  const known = error instanceof ServiceError ? error : undefined
  if (known !== undefined && isLasting(known)) return writeProblem(outgoing, 503, known.message)
  writeProblem(outgoing, 503, 'the service behind this server cannot be reached', {
    headers: { 'retry-after': String(known?.retryAfterSeconds ?? 5) },
  })
}

/** Whether asking again does not help: something else answers, or a setting of this server has to be changed first. */
function isLasting(error: ServiceError): boolean {
  const isSetting = error.code === 'misconfigured' || error.code === 'upstream_shape_unknown'
  return isSetting || isEndpointMissing(error) || error.reason === NOT_FROM_SERVICE
}

function writeIntakeProblem(outgoing: ServerResponse, { reason, message }: IntakeError): void {
  const status = reason === 'too_slow' ? 408 : 503
  writeProblem(outgoing, status, message, { headers: { connection: 'close', 'retry-after': '5' } })
}
