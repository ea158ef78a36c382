import type * as z from 'zod'
import type { TokenKind } from '../../src/contract/products.ts'
import type { Scope } from '../../src/contract/base/endpoint.ts'
import { hashToken, newToken } from '../../src/service/workspace/tokens.ts'
import { systemPlatform } from '../../src/service/shared/platform.ts'
import type { App } from '../app.ts'

export interface TokenFacts {
  scopes?: readonly Scope[]
  kind?: z.output<typeof TokenKind>
  expiresAt?: number
  revokedAt?: number
  /** Of the owner unless this says otherwise: a user without any workspace. */
  stranger?: boolean
  /** Of a new member of the owner's workspace with this name. */
  member?: string
}

/** A further token, which no endpoint makes; returns the headers that use it. */
export async function tokenHeaders(app: App, facts: TokenFacts = {}): Promise<{ authorization: string }> {
  const token = newToken()
  const id = systemPlatform.newId()
  await app.db.write(async (rows) => {
    const owner = await rows.selectFrom('user').selectAll().executeTakeFirstOrThrow()
    const isOther = facts.stranger === true || facts.member !== undefined
    const userId = isOther ? systemPlatform.newId() : owner.id
    if (isOther) {
      const other = { id: userId, email: `${userId}@example.test`, display_name: facts.member ?? 'Stranger' }
      await rows
        .insertInto('user')
        .values({ ...other, onboarding_updated_at: null, created_at: 0 })
        .execute()
    }
    if (facts.member !== undefined) {
      const { id } = await rows.selectFrom('workspace').select('id').executeTakeFirstOrThrow()
      const member = { workspace_id: id, user_id: userId, role: 'WORKSPACE_ROLE_MEMBER' }
      await rows.insertInto('workspace_member').values(member).execute()
    }
    await rows
      .insertInto('token')
      .values({
        id,
        user_id: userId,
        name: 'test',
        hash: hashToken(token),
        scopes: JSON.stringify(facts.scopes ?? ['write']),
        kind: facts.kind ?? 'person',
        created_at: 0,
        expires_at: facts.expiresAt ?? null,
        revoked_at: facts.revokedAt ?? null,
        last_used_at: null,
      })
      .execute()
  })
  return { authorization: `Bearer ${token}` }
}

/** The first workspace's id. */
export async function workspaceId(app: App): Promise<string> {
  return (await app.db.read.selectFrom('workspace').select('id').executeTakeFirstOrThrow()).id
}

/** Rows of every table that a request could write: equal before and after means that nothing was written. */
export async function everything(app: App): Promise<unknown> {
  const tables = ['product', 'dsn_key', 'environment', 'release', 'component', 'issue', 'audit', 'idempotency'] as const
  return Promise.all(tables.map((table) => app.db.read.selectFrom(table).selectAll().execute()))
}

/** The body of a failure as contract §0.4 has it. */
export interface Failure {
  code: number
  message: string
  details: {
    '@type': string
    reason?: string
    domain?: string
    metadata?: Record<string, string>
    field_violations?: { field: string; description: string }[]
  }[]
}

/** The reason in the ErrorInfo, which every failure has. */
export function reasonOf(reply: { body: unknown }): string | undefined {
  return (reply.body as Partial<Failure>).details?.[0]?.reason
}

/** The id of what is in the way of a 409. */
export function existingIdOf(reply: { body: unknown }): string | undefined {
  return (reply.body as Failure).details[0]?.metadata?.['existing_id']
}
