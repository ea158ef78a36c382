import { randomBytes } from 'node:crypto'
import type { Selectable } from 'kysely'
import { notFound, ServiceError } from '../../errors.ts'
import type { Platform, Writing } from '../shared/context.ts'
import type { Rows } from '../sql/database.ts'
import type { DsnKeyRow } from '../sql/schema.ts'
import { audit } from './audit.ts'

type StoredKey = Selectable<DsnKeyRow>

/** The first characters of a key name it: of a server key nothing else is shown after it is made. */
const LABEL_CHARACTERS = 8

/**
 * Who has a DSN key: `public` ones are in web pages and apps, so anyone can send with them; `server` ones stay with the
 * team, so what comes with them is vouched for (decision 057).
 */
export type KeyKind = 'public' | 'server'

export interface DsnKeyOptions {
  kind?: KeyKind
  name?: string
  /** Events per second; 0 is no limit, null the specification's default. */
  ratePerSecond?: number | null
}

/** Adds a DSN key of 32 hex digits, a public one unless `kind` says otherwise. */
export async function insertDsnKey(
  rows: Rows,
  platform: Platform,
  productId: number,
  { kind = 'public', name = '', ratePerSecond = null }: DsnKeyOptions = {},
): Promise<string> {
  const publicKey = randomBytes(16).toString('hex')
  await rows
    .insertInto('dsn_key')
    .values({
      public_key: publicKey,
      product_id: productId,
      rate_per_second: ratePerSecond,
      burst: null,
      created_at: platform.now(),
      revoked_at: null,
      kind,
      name,
    })
    .execute()
  return publicKey
}

/** Makes a key for a member, as `insertDsnKey` does, with an audit row that holds only its label. */
export async function addDsnKey(
  rows: Rows,
  call: Writing,
  productId: number,
  options: DsnKeyOptions & { kind: KeyKind },
): Promise<string> {
  const key = await insertDsnKey(rows, call, productId, options)
  await audit(rows, call, { verb: 'create', resourceType: 'dsn_key', resourceId: keyLabel(key), after: options })
  return key
}

/** The DSN keys of a product, also revoked ones, the oldest first. */
export function listDsnKeys(rows: Rows, productId: number): Promise<StoredKey[]> {
  return rows
    .selectFrom('dsn_key')
    .selectAll()
    .where('product_id', '=', productId)
    .orderBy('created_at')
    .orderBy('public_key')
    .execute()
}

/** The characters that name a key in lists and in the audit trail. */
export function keyLabel(key: string): string {
  return key.slice(0, LABEL_CHARACTERS)
}

/**
 * Revokes the key of a product that begins with `given`, at least its label, and returns it; the service notices within
 * two seconds. Throws `not_found` for an unknown one, `failed_precondition` for one that is revoked, for a beginning of
 * several, and for the only public one, which is in the product's DSN.
 */
export async function revokeDsnKey(rows: Rows, call: Writing, productId: number, given: string): Promise<StoredKey> {
  const keys = await listDsnKeys(rows, productId)
  const before = findKey(keys, given)
  const others = keys.filter((key) => key.kind === 'public' && key.revoked_at === null && key !== before)
  if (before.kind === 'public' && others.length === 0) {
    const advice = 'add another one first, with: tracegate admin key add'
    throw new ServiceError('failed_precondition', `${keyLabel(given)} is the only public key of the product: ${advice}`)
  }
  const after = { ...before, revoked_at: call.now() }
  await rows
    .updateTable('dsn_key')
    .set({ revoked_at: after.revoked_at })
    .where('public_key', '=', before.public_key)
    .execute()
  await audit(rows, call, { verb: 'revoke', resourceType: 'dsn_key', resourceId: keyLabel(given), before, after })
  return after
}

function findKey(keys: readonly StoredKey[], given: string): StoredKey {
  const label = keyLabel(given)
  const found = given.length < LABEL_CHARACTERS ? [] : keys.filter((key) => key.public_key.startsWith(given))
  const [key, ...others] = found
  if (key === undefined) throw notFound('DSN key', label, 'see: tracegate admin key list')
  if (others.length > 0) {
    throw new ServiceError('failed_precondition', `several keys begin with ${label}: give the whole key`)
  }
  if (key.revoked_at !== null) throw new ServiceError('failed_precondition', `the key ${label} is revoked already`)
  return key
}
