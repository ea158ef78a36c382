import type { WireRequest } from '../../contract/base/wire.ts'
import { createIntake, type Intake } from '../../lib/intake.ts'

/** A form has a signed link, a token and a few words. */
const maxBytes = 32 * 1024

/** Forms come before anybody has said who they are, so all of them share one limit. */
export function createFormIntake(): Intake {
  const bytes = 4 * 1024 * 1024
  return createIntake({ bytes, bytesPerOwner: bytes, timeoutMs: 30_000, graceMs: 10_000, bytesPerSecond: 256 })
}

/** The fields of a form; undefined when the body is longer than ours are or no form. Rejects with an `IntakeError`. */
export async function readForm({ body, headers }: WireRequest, intake: Intake): Promise<URLSearchParams | undefined> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '')) return undefined
  const hold = intake.hold('')
  try {
    const chunks = body instanceof Uint8Array || body === undefined ? inOneChunk(body) : body
    const bytes = await hold.collect(chunks, maxBytes)
    return bytes === undefined ? undefined : new URLSearchParams(bytes.toString('utf8'))
  } finally {
    hold.release()
  }
}

async function* inOneChunk(body: Uint8Array | undefined): AsyncGenerator<Uint8Array> {
  if (body !== undefined) yield body
}
