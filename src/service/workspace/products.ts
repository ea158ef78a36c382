import type { Selectable } from 'kysely'
import type * as z from 'zod'
import { defaultGatePolicy, type GatePolicy } from '../../contract/quality-gate/policy.ts'
import type { ProductSettings, Repository } from '../../contract/products.ts'
import { ServiceError } from '../../errors.ts'
import type { Platform, Writing } from '../shared/context.ts'
import type { Rows } from '../sql/database.ts'
import type { ProductRow } from '../sql/schema.ts'
import { audit } from './audit.ts'
import { insertDsnKey } from './dsn-keys.ts'

/** A row of `product`. */
export type StoredProduct = Selectable<ProductRow>

export interface ProductFacts {
  name: string
  slug?: string | undefined
  description?: string | undefined
  key_prefix?: string | undefined
  repository?: Partial<z.input<typeof Repository>> | undefined
  gate_policy?: Partial<z.input<typeof GatePolicy>> | undefined
}

const emptyRepository: z.input<typeof Repository> = {
  url: '',
  default_branch: '',
  root_path: '',
  path_strip_prefixes: [],
  test_globs: [],
}

/** Settings of a new product (contract §2). */
const defaultSettings: z.input<typeof ProductSettings> = {
  reopen_on_regression: true,
  auto_create_environments: true,
  single_user_approval: [],
  retention_days: 90,
  max_events_per_issue: 1000,
}

/**
 * Creates a product with the default gate policy and one DSN key, inside the caller's transaction. Slug and key prefix
 * are derived from the name unless given. Throws `already_exists` with the id of the product that has a given one.
 */
export async function insertProduct(
  rows: Rows,
  platform: Platform,
  workspaceId: string,
  facts: ProductFacts,
): Promise<StoredProduct> {
  const slug = await chooseSlug(rows, workspaceId, facts)
  const keyPrefix = await choosePrefix(rows, workspaceId, facts)
  const now = platform.now()
  const product = await rows
    .insertInto('product')
    .values({
      workspace_id: workspaceId,
      slug,
      key_prefix: keyPrefix,
      ...toColumns(facts),
      settings: JSON.stringify(defaultSettings),
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await insertDsnKey(rows, platform, product.id)
  return product
}

/** Creates a product for a member of the workspace, as `insertProduct` does, and records it in the audit trail. */
export async function createProduct(
  rows: Rows,
  call: Writing,
  workspaceId: string,
  facts: ProductFacts,
): Promise<StoredProduct> {
  const product = await insertProduct(rows, call, workspaceId, facts)
  await audit(rows, call, { verb: 'create', resourceType: 'product', resourceId: String(product.id), after: product })
  return product
}

/** Replaces the facts of a product, including slug and key prefix, inside the caller's transaction; settings stay. */
export async function replaceProduct(
  rows: Rows,
  platform: Platform,
  id: number,
  facts: ProductFacts & { slug: string; key_prefix: string },
): Promise<void> {
  const { slug, key_prefix } = facts
  await rows
    .updateTable('product')
    .set(({ eb }) => ({
      slug,
      key_prefix,
      ...toColumns(facts),
      version: eb('version', '+', 1),
      updated_at: platform.now(),
    }))
    .where('id', '=', id)
    .execute()
}

function toColumns(facts: ProductFacts) {
  return {
    name: facts.name,
    description: facts.description ?? '',
    repository: JSON.stringify({ ...emptyRepository, ...facts.repository }),
    gate_policy: JSON.stringify({ ...defaultGatePolicy, ...facts.gate_policy }),
  }
}

/** The given slug, or a free one made of the name. Throws `already_exists` for a given one that is taken. */
export async function chooseSlug(rows: Rows, workspaceId: string, { name, slug }: ProductFacts): Promise<string> {
  const find = (value: string) =>
    rows
      .selectFrom('product')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .where('slug', '=', value)
      .executeTakeFirst()
  if (slug !== undefined) return refuseTaken('slug', slug, await find(slug))
  return firstFree(slugify(name), '-', find)
}

/** The same for the prefix of the keys of issues, which all workspaces share: what others have made is not named. */
export async function choosePrefix(
  rows: Rows,
  workspaceId: string,
  { name, key_prefix: prefix }: ProductFacts,
): Promise<string> {
  const find = (value: string) =>
    rows.selectFrom('product').select(['id', 'workspace_id']).where('key_prefix', '=', value).executeTakeFirst()
  if (prefix === undefined) return firstFree(suggestKeyPrefix(name), '', find)
  const taken = await find(prefix)
  if (taken === undefined || taken.workspace_id === workspaceId) return refuseTaken('key_prefix', prefix, taken)
  throw new ServiceError('already_exists', `key_prefix ${prefix} is taken; choose another, or leave key_prefix out`, {
    reason: 'PRODUCT_EXISTS',
    violations: [{ field: 'key_prefix', description: 'is taken' }],
  })
}

function refuseTaken(field: string, value: string, taken: { id: number } | undefined): string {
  if (taken === undefined) return value
  throw new ServiceError(
    'already_exists',
    `${field} ${value} is taken by product ${taken.id}; use that one or choose another`,
    {
      reason: 'PRODUCT_EXISTS',
      metadata: { existing_id: String(taken.id) },
      violations: [{ field, description: 'is taken' }],
    },
  )
}

/** The value itself, or the first of `value2`, `value3`, … that is not taken. */
async function firstFree(value: string, joint: string, find: (value: string) => Promise<unknown>): Promise<string> {
  let candidate = value
  for (let number = 2; (await find(candidate)) !== undefined; number += 1) candidate = `${value}${joint}${number}`
  return candidate
}

/** Lower-case words joined by dashes. */
export function slugify(name: string): string {
  const words = plain(name)
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? ['product']
  return words.join('-').slice(0, 60).replace(/-$/, '')
}

/** Initials of a name of several words, else the beginning of its one word; two to six capitals or digits. */
export function suggestKeyPrefix(name: string): string {
  const words =
    plain(name)
      .toUpperCase()
      .match(/[A-Z0-9]+/g) ?? []
  const letters = words.length > 1 ? words.map((word) => word[0] ?? '').join('') : (words[0] ?? '').slice(0, 4)
  const prefix = letters.replace(/^[0-9]+/, '').slice(0, 6)
  return prefix.length >= 2 ? prefix : `${prefix}PRODUCT`.slice(0, 7)
}

/** Without accents. */
function plain(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '')
}
