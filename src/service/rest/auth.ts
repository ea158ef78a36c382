import type { InferResult } from 'kysely'
import { LRUCache } from 'lru-cache'
import { parseScopes } from '../workspace/account.ts'
import { hashToken } from '../workspace/tokens.ts'
import { timingSafeEqual } from 'node:crypto'
import { TokenKind } from '../../contract/products.ts'
import type { Scope } from '../../contract/base/endpoint.ts'
import type { Call, Platform, Principal } from '../shared/context.ts'
import { ServiceError } from '../../errors.ts'
import { parseBearer } from '../../lib/network/bearer.ts'
import type { Log } from '../shared/log.ts'
import { stackText } from '../../lib/stack.ts'
import type { CommittedState, Database } from '../sql/database.ts'

const usedAtMostEveryMs = 60_000

export interface Authenticator {
  /** The principal of the bearer token in an `Authorization` header; throws `unauthenticated`. */
  authenticate(authorization: string | undefined): Promise<Principal>
  /** Resolves when every pending `last_used_at` is written. */
  settled(): Promise<void>
}

/** Bearer authentication against the token table (contract §0.5). */
export function createAuthenticator({
  db,
  platform,
  log,
}: {
  db: Database
  platform: Platform
  log?: Log | undefined
}): Authenticator {
  const find = rememberTokens(db)
  const usedAt = new Map<string, number>()
  const writes = new Set<Promise<void>>()

  /** Records the use of a token at most once a minute, in the background. */
  function noteUse(tokenId: string, stored: number | null, now: number) {
    const last = usedAt.get(tokenId) ?? stored ?? -Infinity
    // The clock may have been set back.
    if (last <= now && now - last < usedAtMostEveryMs) return
    usedAt.set(tokenId, now)
    const write = db
      .write((rows) => rows.updateTable('token').set({ last_used_at: now }).where('id', '=', tokenId).execute())
      .then(
        () => undefined,
        (thrown: unknown) =>
          log?.({
            level: 'warn',
            message: 'last use of a token was not noted',
            where: 'auth',
            error: stackText(thrown),
          }),
      )
      .finally(() => writes.delete(write))
    writes.add(write)
  }

  return {
    async authenticate(authorization) {
      const now = platform.now()
      const { token, workspaceIds } = await find(readBearerToken(authorization))
      if (token.expires_at !== null && token.expires_at <= now) throw refused('TOKEN_EXPIRED', 'the token has expired')
      noteUse(token.id, token.last_used_at, now)
      return {
        userId: token.user_id,
        displayName: token.display_name,
        tokenId: token.id,
        tokenName: token.name,
        tokenKind: TokenKind.parse(token.kind),
        scopes: new Set<Scope>(['read', ...parseScopes(token.scopes)]),
        workspaceIds,
      }
    },
    async settled() {
      await Promise.all(writes)
    },
  }
}

/** The actor that a principal's writes are recorded under (contract §0.8). */
export function toActor(principal: Principal): Call['actor'] {
  return {
    type: principal.tokenKind === 'agent' ? 'ACTOR_TYPE_AGENT' : 'ACTOR_TYPE_API_TOKEN',
    id: principal.tokenId,
    display_name: principal.displayName,
    user_id: principal.userId,
  }
}

function readBearerToken(authorization: string | undefined): string {
  const token = parseBearer(authorization)
  if (token === undefined) throw refused('TOKEN_MISSING', 'send Authorization: Bearer <token>')
  return token
}

function tokenQuery(db: Database) {
  return db.read
    .selectFrom('token')
    .innerJoin('user', 'user.id', 'token.user_id')
    .leftJoin('workspace_member', 'workspace_member.user_id', 'token.user_id')
    .select(['token.id', 'token.name', 'token.user_id', 'token.hash', 'token.scopes', 'token.kind'])
    .select(['token.expires_at', 'token.revoked_at', 'token.last_used_at', 'user.display_name'])
    .select('workspace_member.workspace_id')
    .where('token.hash', '=', '')
    .compile()
}

/** Tokens that are remembered. */
const MOST_TOKENS = 1_000

/**
 * Finds the token with its workspaces. One that was found is remembered until the next commit of any process, so that a
 * revocation ends it at once (decision 074).
 */
function rememberTokens(db: Database) {
  const query = tokenQuery(db)
  const found = new LRUCache<string, FoundToken>({ max: MOST_TOKENS })
  let state: CommittedState | undefined
  return async (bearer: string): Promise<FoundToken> => {
    const hash = hashToken(bearer)
    const now = await db.read.committedState?.()
    if (now === undefined || now !== state) found.clear()
    state = now
    const known = found.get(hash)
    if (known !== undefined) return known
    const token = await findToken(db, query, hash)
    // The state may be another one by now.
    if (state === now) found.set(hash, token)
    return token
  }
}

type TokenQuery = ReturnType<typeof tokenQuery>

interface FoundToken {
  token: InferResult<TokenQuery>[number]
  workspaceIds: string[]
}

async function findToken(db: Database, query: TokenQuery, hash: string): Promise<FoundToken> {
  const { rows: found } = await db.read.executeQuery<FoundToken['token']>({ ...query, parameters: [hash] })
  const token = found[0]
  const known = token !== undefined && timingSafeEqual(Buffer.from(token.hash), Buffer.from(hash))
  if (!known || token.revoked_at !== null) throw refused('TOKEN_INVALID', 'the token is not valid here')
  const workspaceIds = found.flatMap(({ workspace_id }) => (workspace_id === null ? [] : [workspace_id]))
  return { token, workspaceIds }
}

function refused(reason: 'TOKEN_MISSING' | 'TOKEN_INVALID' | 'TOKEN_EXPIRED', message: string): ServiceError {
  return new ServiceError('unauthenticated', message, { reason })
}
