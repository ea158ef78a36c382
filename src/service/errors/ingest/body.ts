import type { WireRequest } from '../../../contract/base/wire.ts'
import { ServiceError } from '../../../errors.ts'
import type { Hold } from '../../../lib/intake.ts'
import { holdBytes, readBody } from '../../shared/read-body.ts'
import { decodeBody } from './decode.ts'
import { EnvelopeReader, type Envelope } from './envelope.ts'
import type { IngestLimits } from './limits.ts'

/** What reading a body costs is charged here while it is read: each call throws to stop it. */
export interface ReadingCosts {
  limits: IngestLimits
  /** The memory of the request. */
  hold: Hold
  /** Bytes as they arrive and as they are unpacked. */
  charge: (bytes: number) => void
}

/**
 * The envelope of a body. Only payloads of events and client reports are kept, so an envelope of other items takes no
 * memory. `admit` is called as soon as the header is complete, and may refuse the rest by throwing.
 */
export async function readEnvelope<T>(
  request: WireRequest,
  costs: ReadingCosts,
  admit: (header: Envelope['header']) => Promise<T>,
): Promise<Envelope & { admission: T }> {
  const { limits, hold } = costs
  const { headerBytes, itemsPerEnvelope } = limits
  const reader = new EnvelopeReader({ headerBytes, itemsPerEnvelope, keptBytes: (type) => keptBytes(type, limits) })
  let admission: { value: T } | undefined
  let held = 0
  await eachChunk(request, costs, async (bytes, isUnpacked) => {
    reader.push(bytes)
    if (isUnpacked) {
      holdBytes(hold, reader.keptBytes - held)
      held = reader.keptBytes
    }
    if (reader.header !== undefined) admission ??= { value: await admit(reader.header) }
  })
  const envelope = reader.end()
  admission ??= { value: await admit(envelope.header) }
  return { ...envelope, admission: admission.value }
}

/** One byte more than is taken shows that a payload is too large. */
function keptBytes(type: string, { eventBytes, reportBytes }: IngestLimits): number {
  return type === 'event' ? eventBytes + 1 : type === 'client_report' ? reportBytes + 1 : 0
}

/** The whole body, unpacked. */
export async function readDecoded(request: WireRequest, costs: ReadingCosts): Promise<Buffer> {
  const chunks: Buffer[] = []
  await eachChunk(request, costs, (bytes, isUnpacked) => {
    if (isUnpacked) holdBytes(costs.hold, bytes.length)
    chunks.push(bytes)
  })
  return Buffer.concat(chunks)
}

/** Takes the body as it was sent, or in the chunks in which it is unpacked. */
async function eachChunk(
  request: WireRequest,
  { limits, hold, charge }: ReadingCosts,
  take: (bytes: Buffer, isUnpacked: boolean) => void | Promise<void>,
): Promise<void> {
  const limit = limits.bodyBytes
  const body = await readBody(
    request,
    { limitBytes: limit, hold, arrived: charge },
    {
      tooLarge: () => new ServiceError('payload_too_large', `the request body is larger than ${limit} bytes`),
      incomplete: (cause) => new ServiceError('invalid_argument', 'the request body ended early', { cause }),
    },
  )
  const unpacked = decodeBody(body, request.headers['content-encoding'], limits.decodedBytes)
  if (unpacked === undefined) return take(body, false)
  for await (const bytes of unpacked) {
    charge(bytes.length)
    await take(bytes, true)
  }
}
