import type { WireReply, WireRequest } from '../../src/contract/base/wire.ts'
import { asBuffer, collectBytes } from '../../src/lib/bytes.ts'

/** All bytes of a body; none for a request without one. */
export async function wholeBody(body: WireReply['body'] | WireRequest['body'] = ''): Promise<Buffer> {
  if (typeof body === 'string') return Buffer.from(body)
  return body instanceof Uint8Array ? asBuffer(body) : await collectBytes(body)
}
