import { createHmac, timingSafeEqual } from 'node:crypto'
import { ServiceError } from '../../../../errors.ts'
import { hourMs } from '../../../shared/times.ts'

/** How long an address accepts an upload (contract §11). */
const addressMs = hourMs

export interface AddressFacts {
  id: string
  /** Largest body, in bytes. */
  max: number
  /** As announced at creation; '' without one. */
  sha256: string
}

/** The presigned address of an upload at an origin, and its expiry in epoch milliseconds. */
export function signAddress(
  secret: string,
  { origin, now, ...facts }: AddressFacts & { origin: string; now: number },
): { url: string; expiresAt: number } {
  const expires = Math.floor((now + addressMs) / 1000)
  const query = new URLSearchParams({ expires: String(expires), max: String(facts.max) })
  query.set('signature', sign(secret, { ...facts, expires }).toString('hex'))
  return { url: `${origin}/uploads/${facts.id}?${query.toString()}`, expiresAt: expires * 1000 }
}

/**
 * The largest body that the query of a presigned address allows, in bytes. `announced` are the checksums it may have
 * been signed for. Throws `permission_denied` when the signature does not match or has expired.
 */
export function checkAddress(
  secret: string,
  { id, query, announced, now }: { id: string; query: string; announced: readonly string[]; now: number },
): number {
  const given = new URLSearchParams(query)
  const [expires, max] = [parseNumber(given.get('expires')), parseNumber(given.get('max'))]
  const signature = Buffer.from(parseHex(given.get('signature')), 'hex')
  const isSigned = announced.some((sha256) => same(signature, sign(secret, { id, expires, max, sha256 })))
  if (!isSigned) throw refused('SIGNATURE_INVALID', 'the upload address was changed or is not from this service')
  if (now > expires * 1000) throw refused('ADDRESS_EXPIRED', 'the upload address has expired')
  return max
}

function sign(secret: string, { id, expires, max, sha256 }: AddressFacts & { expires: number }): Buffer {
  return createHmac('sha256', secret).update(`PUT\n${id}\n${expires}\n${max}\n${sha256}`).digest()
}

function same(given: Buffer, right: Buffer): boolean {
  return given.byteLength === right.byteLength && timingSafeEqual(given, right)
}

/** Accepts only our own spelling: any other would be a second address with the same signature. */
function parseNumber(text: string | null): number {
  return text !== null && /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : -1
}

function parseHex(text: string | null): string {
  return text !== null && /^[0-9a-f]{64}$/.test(text) ? text : ''
}

function refused(reason: string, problem: string): ServiceError {
  return new ServiceError('permission_denied', `${problem}; create the upload again`, { reason })
}
