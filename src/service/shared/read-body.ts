import type { WireRequest } from '../../contract/base/wire.ts'
import { asBuffer, collectBytes } from '../../lib/bytes.ts'

/** The errors that a reader of bodies throws; each entry point has its own messages. */
export interface BodyErrors {
  tooLarge: () => Error
  /** The sender hung up, which is not a failure of the service. */
  incomplete: (cause: unknown) => Error
}

/** The body as sent, without a copy if it came in one piece; once it exceeds `limitBytes`, the rest is not read. */
export async function readBody(
  { body, headers }: WireRequest,
  limitBytes: number,
  { tooLarge, incomplete }: BodyErrors,
): Promise<Buffer> {
  if (body === undefined) return Buffer.alloc(0)
  if (Number(headers['content-length']) > limitBytes) throw tooLarge()
  if (body instanceof Uint8Array) {
    if (body.byteLength > limitBytes) throw tooLarge()
    return asBuffer(body)
  }
  const bytes = await collectBytes(body, limitBytes).catch((cause: unknown) => {
    throw incomplete(cause)
  })
  if (bytes === undefined) throw tooLarge()
  return bytes
}
