import { sql } from 'kysely'
import type { Rows } from '../../../sql/database.ts'
import { compareFixes } from '../../../workspace/releases/fix-order.ts'
import type { OrderedRelease } from '../../../workspace/releases/release-order.ts'
import { isExposed, recordedOrigin } from '../../../workspace/releases/rules.ts'

/** What a gate judges; ids are '' where the scope names none. */
export interface IssueScope {
  productId: number
  releaseId: string
  environmentId: string
  /** Epoch milliseconds. */
  now: number
  /** Issues that are wanted in any case, such as those of exclusions. */
  alsoIds?: readonly string[]
}

/** A scope with what its ids lead to. */
export interface ReadScope extends IssueScope {
  /** Alive environments of the scope. */
  environmentIds: readonly string[]
  /** Those of them that are PRODUCTION or STAGING, where an issue can be new. */
  exposedIds: readonly string[]
  /** The judged version; undefined when the scope names none. */
  release: OrderedRelease | undefined
  /** The releases of that version in the environments of the scope. */
  releaseIds: readonly string[]
}

const orderedColumns = ['id', 'version', 'released_at', 'environment_id', 'vouched_at', 'created_at'] as const

/** The environments and releases of a scope. A release without an environment is judged in its own one. */
export async function readScope(rows: Rows, scope: IssueScope): Promise<ReadScope> {
  const { productId, releaseId } = scope
  const named = releaseId === '' ? undefined : await findRelease(rows, productId, releaseId)
  const only = scope.environmentId === '' ? (named?.environment_id ?? '') : scope.environmentId
  const environments = await rows
    .selectFrom('environment')
    .select(['id', 'kind'])
    .where('product_id', '=', productId)
    .where('deleted_at', 'is', null)
    .$if(only !== '', (some) => some.where('id', '=', only))
    .execute()
  const environmentIds = environments.map(({ id }) => id)
  const exposed = environments.filter(isExposed).map(({ id }) => id)
  const releaseIds = named === undefined ? [] : await sameVersion(rows, productId, named.version, environmentIds)
  return { ...scope, environmentIds, exposedIds: exposed, release: named && ordered(named), releaseIds }
}

async function findRelease(rows: Rows, productId: number, id: string) {
  return rows
    .selectFrom('release')
    .select(orderedColumns)
    .where('id', '=', id)
    .where('product_id', '=', productId)
    .executeTakeFirst()
}

async function sameVersion(rows: Rows, productId: number, version: string, environmentIds: readonly string[]) {
  const found = await rows
    .selectFrom('release')
    .select(['id', 'environment_id'])
    .where('product_id', '=', productId)
    .where('version', '=', version)
    .execute()
  return found.filter(({ environment_id: id }) => environmentIds.includes(id)).map(({ id }) => id)
}

/** Releases by id, in the order that nothing which events with a public key said has changed. */
export async function readReleases(rows: Rows, ids: Iterable<string>): Promise<Map<string, OrderedRelease>> {
  const wanted = [...new Set(ids)].filter((id) => id !== '')
  if (wanted.length === 0) return new Map()
  const found = await rows
    .selectFrom('release')
    .select(orderedColumns)
    .where(rows.dialect.isOneOf('id', wanted))
    .execute()
  return new Map(found.map((row) => [row.id, ordered(row)]))
}

/** The known releases of an environment that a token or an event with a server key named. */
export async function readVouchedReleases(rows: Rows, environmentId: string): Promise<OrderedRelease[]> {
  const found = await rows
    .selectFrom('release')
    .select(orderedColumns)
    .where('environment_id', '=', environmentId)
    .where('vouched_at', 'is not', null)
    .where(sql<boolean>`${sql.raw(recordedOrigin)}`)
    .execute()
  return found.map(ordered)
}

function ordered(row: OrderedRelease & { vouched_at: number | null }): OrderedRelease {
  const { id, version, released_at, vouched_at, created_at } = row
  return { id, version, released_at, created_at: vouched_at ?? created_at }
}

/** Whether a release is at or before the judged one; true when either is unknown, because nothing excuses it then. */
export function isAtOrBefore(release: OrderedRelease | undefined, judged: OrderedRelease | undefined): boolean {
  return release === undefined || judged === undefined || compareFixes(release, judged) <= 0
}
