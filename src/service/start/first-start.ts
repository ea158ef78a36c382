import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scopes } from '../../contract/base/endpoint.ts'
import { ServiceError } from '../../errors.ts'
import { AS_OWNER, whyRefused } from '../../lib/files/why-refused.ts'
import { hashToken, newToken } from '../workspace/tokens.ts'
import type { Platform } from '../shared/context.ts'
import { adoptUntouched, type FirstProduct } from '../workspace/first-product.ts'
import { insertProduct, type ProductFacts } from '../workspace/products.ts'
import type { Database, Rows } from '../sql/database.ts'

export interface FirstStart {
  /** The owner's API token. */
  token: string
  /** The first product. */
  productId: string
  workspaceId: string
  /** True when this call filled an empty database, or replaced the untouched first product by `product`. */
  created: boolean
}

export interface FirstStartOptions {
  db: Database
  platform: Platform
  dataDir: string
  product: FirstProduct
  /** Replace an existing first product that is still untouched by `product`. */
  adopt?: boolean
}

/** Creates the data directory, accessible only to its owner. */
export async function makeDataDir(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
}

/**
 * Makes an empty database usable: a workspace, its owner, a first product with a DSN key and a token with all scopes,
 * which is kept in the file `token` (mode 0600) and reused by every later start (contract §0.5). A token file that is
 * missing or no longer valid is replaced. When several processes start at once, the first does it; the others wait for
 * its write lock and read the result.
 */
export async function firstStart({
  db,
  platform,
  dataDir,
  product,
  adopt = false,
}: FirstStartOptions): Promise<FirstStart> {
  const file = join(dataDir, 'token')
  const known = await findFirst(db.read)
  const kept = known && (await validToken(db.read, platform, file))
  if (known !== undefined && kept !== undefined && !adopt) return { ...known, token: kept, created: false }
  return db.write(async (rows) => {
    const found = await findFirst(rows)
    const first = found ?? (await insertFirst(rows, platform, product))
    const adopted = found && adopt && (await adoptUntouched(rows, platform, Number(found.productId), product))
    const token =
      (found && (await validToken(rows, platform, file))) ?? (await issueToken(rows, platform, first.userId, file))
    return { ...first, token, created: found === undefined || adopted === true }
  })
}

async function findFirst(rows: Rows) {
  const row = await rows
    .selectFrom('workspace')
    .innerJoin('workspace_member', 'workspace_member.workspace_id', 'workspace.id')
    .innerJoin('product', 'product.workspace_id', 'workspace.id')
    .select(['workspace.id as workspaceId', 'workspace_member.user_id as userId', 'product.id as productId'])
    .where('workspace_member.role', '=', 'WORKSPACE_ROLE_OWNER')
    .orderBy('product.id')
    .executeTakeFirst()
  return row && { ...row, productId: String(row.productId) }
}

async function insertFirst(rows: Rows, platform: Platform, facts: ProductFacts) {
  const now = platform.now()
  const [workspaceId, userId] = [platform.newId(), platform.newId()]
  await rows
    .insertInto('workspace')
    .values({ id: workspaceId, slug: 'workspace', name: 'Workspace', created_at: now, updated_at: now })
    .execute()
  await rows
    .insertInto('user')
    .values({
      id: userId,
      email: 'owner@localhost',
      display_name: 'Owner',
      onboarding_updated_at: null,
      created_at: now,
    })
    .execute()
  await rows
    .insertInto('workspace_member')
    .values({ workspace_id: workspaceId, user_id: userId, role: 'WORKSPACE_ROLE_OWNER' })
    .execute()
  const product = await insertProduct(rows, platform, workspaceId, facts)
  return { workspaceId, userId, productId: String(product.id) }
}

/** The token in the file, if the database accepts it. Another user's, which cannot be read, is not replaced. */
async function validToken(rows: Rows, platform: Platform, file: string): Promise<string | undefined> {
  const token = (await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => ifMissing(file, error))).trim()
  if (token === '') return undefined
  const row = await rows
    .selectFrom('token')
    .select(['expires_at', 'revoked_at'])
    .where('hash', '=', hashToken(token))
    .executeTakeFirst()
  const valid = row?.revoked_at === null && (row.expires_at ?? Infinity) > platform.now()
  return valid ? token : undefined
}

function ifMissing(file: string, cause: NodeJS.ErrnoException): string {
  if (cause.code === 'ENOENT') return ''
  const message = `${file} cannot be read: ${whyRefused(cause)}; ${AS_OWNER}`
  throw new ServiceError('failed_precondition', message, { reason: 'DATA_DIRECTORY_UNUSABLE', cause })
}

/** Runs inside the transaction: a process that sees the token's row also finds the file. */
async function issueToken(rows: Rows, platform: Platform, userId: string, file: string): Promise<string> {
  const token = newToken()
  await insertToken(rows, platform, { token, userId, name: 'Embedded' })
  const draft = `${file}.${process.pid}.${platform.newId()}`
  try {
    await writeFile(draft, `${token}\n`, { mode: 0o600, flush: true })
    await rename(draft, file)
  } finally {
    await rm(draft, { force: true })
  }
  return token
}

/** Stores a token with all scopes that does not expire. */
async function insertToken(rows: Rows, platform: Platform, facts: { token: string; userId: string; name: string }) {
  await rows
    .insertInto('token')
    .values({
      id: platform.newId(),
      user_id: facts.userId,
      name: facts.name,
      hash: hashToken(facts.token),
      scopes: JSON.stringify(scopes),
      created_at: platform.now(),
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
    })
    .execute()
}
