import type { WireRequest } from '../../contract/base/wire.ts'
import { ServiceError } from '../../errors.ts'
import { asBuffer } from '../../lib/bytes.ts'
import { IntakeError, type Hold } from '../../lib/intake.ts'

/** The errors that a reader of bodies throws; each entry point has its own messages. */
export interface BodyErrors {
  tooLarge: () => Error
  /** The sender hung up, which is not a failure of the service. */
  incomplete: (cause: unknown) => Error
}

/**
 * The body as sent, without a copy if it came in one piece; once it exceeds `limitBytes`, the rest is not read. Throws
 * `deadline_exceeded` for a body that arrives too slowly, and `unavailable` when it had to make room for others. `arrived` is
 * called with the bytes of each piece that arrives, and may throw to refuse the rest.
 */
export async function readBody(
  { body, headers }: WireRequest,
  { limitBytes, hold, arrived }: { limitBytes: number; hold: Hold; arrived?: (bytes: number) => void },
  { tooLarge, incomplete }: BodyErrors,
): Promise<Buffer> {
  if (body === undefined) return Buffer.alloc(0)
  if (Number(headers['content-length']) > limitBytes) throw tooLarge()
  if (body instanceof Uint8Array) {
    if (body.byteLength > limitBytes) throw tooLarge()
    return asBuffer(body)
  }
  const bytes = await hold.collect(body, limitBytes, arrived).catch((cause: unknown) => {
    if (cause instanceof ServiceError) throw cause
    throw cause instanceof IntakeError ? intakeFailure(cause) : incomplete(cause)
  })
  if (bytes === undefined) throw tooLarge()
  return bytes
}

/** Counts bytes that a request holds besides its body as sent; throws `unavailable` when there is no room for them. */
export function holdBytes(hold: Hold, bytes: number): void {
  try {
    hold.add(bytes)
  } catch (error) {
    throw error instanceof IntakeError ? intakeFailure(error) : error
  }
}

function intakeFailure(cause: IntakeError): ServiceError {
  if (cause.reason === 'too_slow')
    return new ServiceError('deadline_exceeded', 'the body arrived too slowly; send it again', { cause })
  const message = 'too many bodies arrive at once; send it again in a moment'
  return new ServiceError('unavailable', message, { reason: 'BODIES_FULL', retryAfterSeconds: 5, cause })
}
