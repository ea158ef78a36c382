import { hash, randomInt } from 'node:crypto'
import type * as z from 'zod'
import type { Scope } from '../../contract/base/endpoint.ts'
import type { TokenKind } from '../../contract/products.ts'
import { notFound, ServiceError } from '../../errors.ts'
import type { Writing } from '../shared/context.ts'
import type { Rows } from '../sql/database.ts'
import { parseScopes } from './account.ts'
import { audit } from './audit.ts'

type Kind = z.output<typeof TokenKind>

/** The scopes of a new token of each kind; every token may read. */
export const usualScopes: Readonly<Record<Kind, readonly Scope[]>> = {
  person: ['read', 'write', 'gate:accept', 'gate:approve', 'agents:run'],
  agent: ['read', 'write', 'gate:accept', 'agents:run'],
  ci: ['read', 'write'],
}

export interface TokenFacts {
  userId: string
  name: string
  kind: Kind
  scopes: readonly Scope[]
  /** Epoch milliseconds; null: it does not expire. */
  expiresAt: number | null
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A new secret: `tg_` and 40 characters of base 62. */
export function newToken(): string {
  return `tg_${Array.from({ length: 40 }, () => base62[randomInt(base62.length)]).join('')}`
}

/** SHA-256 of a token in hex: only this is stored. */
export function hashToken(token: string): string {
  return hash('sha256', token)
}

/** Makes a token, with an audit row that does not hold it, and resolves to its secret. */
export async function addToken(rows: Rows, call: Writing, facts: TokenFacts): Promise<string> {
  const token = newToken()
  const id = call.newId()
  const { userId, name, kind, scopes, expiresAt } = facts
  await rows
    .insertInto('token')
    .values({
      id,
      user_id: userId,
      name,
      hash: hashToken(token),
      scopes: JSON.stringify(scopes),
      kind,
      created_at: call.now(),
      expires_at: expiresAt,
      revoked_at: null,
      last_used_at: null,
    })
    .execute()
  await audit(rows, call, { verb: 'create', resourceType: 'token', resourceId: id, after: facts })
  return token
}

/** Revokes a token. Throws `not_found` for an unknown id, `failed_precondition` for one that is revoked. */
export async function revokeToken(rows: Rows, call: Writing, id: string): Promise<void> {
  const before = await rows
    .selectFrom('token')
    .select(['id', 'user_id', 'name', 'revoked_at'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (before === undefined) throw notFound('token', id, 'see: tracegate admin token list')
  if (before.revoked_at !== null) throw new ServiceError('failed_precondition', `the token ${id} is revoked already`)
  const after = { ...before, revoked_at: call.now() }
  await rows.updateTable('token').set({ revoked_at: after.revoked_at }).where('id', '=', id).execute()
  await audit(rows, call, { verb: 'revoke', resourceType: 'token', resourceId: id, before, after })
}

/** All tokens with their users, the oldest first. */
export async function listTokens(rows: Rows) {
  const found = await rows
    .selectFrom('token')
    .innerJoin('user', 'user.id', 'token.user_id')
    .select(['token.id', 'token.name', 'token.kind', 'token.scopes', 'token.expires_at', 'token.revoked_at'])
    .select(['token.last_used_at', 'user.display_name'])
    .orderBy('token.created_at')
    .orderBy('token.id')
    .execute()
  return found.map(({ scopes, ...token }) => ({ ...token, scopes: parseScopes(scopes) }))
}
