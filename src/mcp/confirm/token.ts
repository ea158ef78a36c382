import { createHmac, hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import * as z from 'zod'
import { ServiceError } from '../../errors.ts'

/** How long a confirmation can be given, in milliseconds (mcp §7.3). */
export const CONFIRMATION_MS = 5 * 60_000

const Confirmation = z.object({
  v: z.literal(1),
  tool: z.string(),
  /** As the tool's schema read them. */
  args: z.record(z.string(), z.unknown()),
  /** For whom it was prepared: `principalHash`. */
  principal: z.string(),
  /** The product that the server was pinned to. */
  product: z.string().optional(),
  /** What the person is shown, and the state it was made from. */
  question: z.object({
    asks: z.string(),
    product: z.object({ id: z.string(), name: z.string().optional() }).optional(),
    facts: z.array(z.object({ label: z.string(), value: z.string() })).readonly(),
    key: z.string(),
    undo: z.string(),
    state: z.string(),
  }),
  /** Used once. */
  nonce: z.string(),
  /** Epoch milliseconds. */
  expiresAt: z.number(),
})

/** What a person is asked to confirm: everything that is needed to do it, and nothing that is stored meanwhile. */
export type Confirmation = Readonly<z.infer<typeof Confirmation>>

export interface ConfirmationKey {
  /** TRACEGATE_SECRET. */
  secret: string
  /** Epoch milliseconds; default `Date.now`. */
  now?: (() => number) | undefined
}

/** What the token says of a caller, who is known by the hash of a token, or by nothing. */
export function principalHash(caller: string): string {
  return hash('sha256', `confirmation of ${caller}`, 'base64url').slice(0, 22)
}

/** In front of every token, so that none begins with `-`: it is an argument of `tracegate confirm`. */
const PREFIX = 'c'

/**
 * Returns one signed text of letters, digits, `-` and `_` that carries the call: the state of a form, the handle of a
 * preview, and the code of the page and the terminal (mcp §7.3).
 */
export function mintConfirmation(
  { secret, now = Date.now }: ConfirmationKey,
  facts: Omit<Confirmation, 'v' | 'nonce' | 'expiresAt'>,
): string {
  const nonce = randomBytes(16).toString('base64url')
  const confirmation: Confirmation = { v: 1, ...facts, nonce, expiresAt: now() + CONFIRMATION_MS }
  const body = deflateRawSync(JSON.stringify(confirmation))
  return PREFIX + Buffer.concat([signature(secret, body), body]).toString('base64url')
}

/**
 * Returns what a token carries. Throws `confirmation_expired` after its time, and `confirmation_required` for a text that
 * this server did not sign. Whether it was used before is another check.
 */
export function readConfirmation({ secret, now = Date.now }: ConfirmationKey, token: string): Confirmation {
  const confirmation = verified(secret, token)
  if (confirmation === undefined) {
    throw new ServiceError('confirmation_required', 'this confirmation was not issued by this server, or was changed', {
      reason: 'CONFIRMATION_NOT_SIGNED',
    })
  }
  if (confirmation.expiresAt > now()) return confirmation
  throw new ServiceError('confirmation_expired', 'this confirmation has expired: it is valid for five minutes')
}

const SIGNATURE_BYTES = 16

function verified(secret: string, token: string): Confirmation | undefined {
  const text = token.trim()
  const encoded = text.slice(PREFIX.length)
  const bytes = Buffer.from(encoded, 'base64url')
  // Node ignores what is no base64url; each confirmation has one text only.
  if (!text.startsWith(PREFIX) || bytes.toString('base64url') !== encoded) return undefined
  const body = bytes.subarray(SIGNATURE_BYTES)
  const signed = bytes.subarray(0, SIGNATURE_BYTES)
  // Nothing is read before the signature is right.
  if (signed.length < SIGNATURE_BYTES || !timingSafeEqual(signed, signature(secret, body))) return undefined
  const { data } = Confirmation.safeParse(JSON.parse(inflateRawSync(body).toString()))
  return data
}

function signature(secret: string, body: Uint8Array): Buffer {
  const key = hkdfSync('sha256', secret, '', 'tracegate confirmation', 32)
  return createHmac('sha256', new Uint8Array(key)).update(body).digest().subarray(0, SIGNATURE_BYTES)
}
