import { notFound } from '../../../../errors.ts'
import { findOverflowIssue } from '../../../errors/issues/record/overflow.ts'
import { dayMs } from '../../../shared/times.ts'
import { chunks } from '../../../sql/chunks.ts'
import type { Rows } from '../../../sql/database.ts'
import { isKnownEnvironment, isRecordedRelease, nameKey } from '../../../workspace/releases/rules.ts'
import type { StoredProduct } from '../../../workspace/products.ts'

const NEW_FOR_MS = 14 * dayMs
/** Files of an issue that are named. */
const MOST_FILES = 3

const issueColumns = [
  'id',
  'number',
  'level',
  'status',
  'is_regression',
  'first_seen',
  'times_seen',
  'status_changed_at',
] as const

/** The issue of the product with that key or id, as a list. */
export async function readNamedIssue(rows: Rows, product: Pick<StoredProduct, 'id' | 'key_prefix'>, named: string) {
  const number = numberIn(named, product.key_prefix)
  const found = await issuesWithFacts(rows, product.id)
    .where((is) => (number === undefined ? is('id', '=', named) : is('number', '=', number)))
    .execute()
  if (found.length === 0) throw notFound('issue', named, `name one of this product, such as ${product.key_prefix}-1`)
  return found
}
export type BisectedIssue = Awaited<ReturnType<typeof readNamedIssue>>[number]

function issuesWithFacts(rows: Rows, productId: number) {
  return rows.selectFrom('issue').select(issueColumns).where('product_id', '=', productId)
}

/**
 * The open fatal and error issues that are new or came back, in one environment or in all, the most severe first; without
 * the one that collects unrelated events.
 */
export async function readNewIssues(
  rows: Rows,
  productId: number,
  { environmentId, now }: { environmentId: string | undefined; now: number },
): Promise<BisectedIssue[]> {
  const since = now - NEW_FOR_MS
  const overflow = await findOverflowIssue(rows, productId)
  const present = rows.selectFrom('issue_environment').select('issue_id')
  return issuesWithFacts(rows, productId)
    .where('id', '<>', overflow)
    .where('status', '=', 'unresolved')
    .where('level', 'in', ['fatal', 'error'])
    .where((is) =>
      is.or([is('first_seen', '>=', since), is('is_regression', '=', 1).and('status_changed_at', '>=', since)]),
    )
    .$if(environmentId !== undefined, (some) =>
      some.where('id', 'in', present.where('environment_id', '=', environmentId ?? '')),
    )
    .orderBy((of) => of.case().when('level', '=', 'fatal').then(0).else(1).end())
    .orderBy('times_seen', 'desc')
    .orderBy('number')
    .execute()
}

function numberIn(key: string, prefix: string): number | undefined {
  const [, named, digits] = /^([A-Za-z][A-Za-z0-9]{1,9})-(\d{1,9})$/.exec(key) ?? []
  return named?.toUpperCase() === prefix ? Number(digits) : undefined
}

/** The known environments that count, by id: all, or the one that is asked for. */
export async function readEnvironments(rows: Rows, productId: number, asked: string | undefined) {
  const alive = await rows
    .selectFrom('environment')
    .select(['id', 'name', 'name_key', 'exposure_weight', 'origin'])
    .where('product_id', '=', productId)
    .where('deleted_at', 'is', null)
    .orderBy('exposure_weight', 'desc')
    .orderBy('name_key')
    .execute()
  const known = alive.filter(isKnownEnvironment)
  if (asked === undefined) return known
  const found = known.filter(({ id, name_key: key }) => id === asked || key === nameKey(asked))
  if (found.length === 0)
    throw notFound('environment', asked, 'name an environment that a member created; list the environments')
  return found
}
export type BisectedEnvironment = Awaited<ReturnType<typeof readEnvironments>>[number]

/** A known release in an environment. */
export interface Place {
  id: string
  version: string
  environment_id: string
  commit_sha: string
  event_count: number
  first_event_at: number | null
  released_at: number | null
  /** When a token made it known. */
  created_at: number
}

/** The releases of these environments that a token made known: no other has an order (contract §10.3). */
export async function readPlaces(rows: Rows, environmentIds: readonly string[]): Promise<Place[]> {
  const found = await rows
    .selectFrom('release')
    .select(['id', 'version', 'environment_id', 'commit_sha', 'origin', 'event_count', 'first_event_at'])
    .select(['released_at', 'vouched_at', 'created_at'])
    .where(rows.dialect.isOneOf('environment_id', environmentIds))
    .execute()
  return found
    .filter(isRecordedRelease)
    .map((release) => ({ ...release, created_at: release.vouched_at ?? release.created_at }))
}

/** Where an issue occurred, ever. Retention does not touch these counters. */
export interface Presence {
  issue_id: string
  environment_id: string
  release_id: string
  count: number
  first_seen: number
  /** When the issue came back there after it was resolved. */
  regressed_at: number | null
}

/** By issue: every environment and release in which it occurred. */
export async function readPresences(rows: Rows, issueIds: readonly string[]): Promise<Map<string, Presence[]>> {
  const found: Presence[] = []
  for (const ids of chunks(issueIds)) {
    const some = await rows
      .selectFrom('issue_presence as place')
      .leftJoin('issue_regression as regression', (on) =>
        on.onRef('regression.release_id', '=', 'place.release_id').onRef('regression.issue_id', '=', 'place.issue_id'),
      )
      .select(['place.issue_id', 'place.environment_id', 'place.release_id', 'place.count', 'place.first_seen'])
      .select('regression.at as regressed_at')
      .where('place.issue_id', 'in', ids)
      .orderBy('place.issue_id')
      .orderBy('place.release_id')
      .execute()
    found.push(...some)
  }
  return Map.groupBy(found, (place) => place.issue_id)
}

/** By issue: the files nearest to its crash. */
export async function readCrashFiles(rows: Rows, issueIds: readonly string[]): Promise<Map<string, string[]>> {
  const files = new Map<string, string[]>()
  for (const ids of chunks(issueIds)) {
    const found = await rows
      .selectFrom('issue_frame')
      .select(['issue_id', 'path', (of) => of.fn.min('distance').as('distance')])
      .where('issue_id', 'in', ids)
      .groupBy(['issue_id', 'path'])
      .orderBy('distance')
      .orderBy('path')
      .execute()
    for (const [id, own] of Map.groupBy(found, (frame) => frame.issue_id))
      files.set(
        id,
        own.slice(0, MOST_FILES).map(({ path }) => path),
      )
  }
  return files
}
