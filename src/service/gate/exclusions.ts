import type * as z from 'zod'
import { notFound } from '../../errors.ts'
import { Exclusion, ExclusionKind } from '../../contract/quality-gate/verdict.ts'
import { requirementKey, testKey } from '../quality/keys.ts'
import type { Call } from '../shared/context.ts'
import { dayMs, timestamp, timestampOrNull } from '../shared/times.ts'
import { readJson } from '../sql/json.ts'
import type { Rows } from '../sql/database.ts'
import { StoredActor } from '../workspace/actor.ts'
import { audit } from '../workspace/audit.ts'
import { isKnownEnvironment } from '../workspace/releases/rules.ts'
import { requirePerson } from './person.ts'
import type { ExclusionFact } from './facts.ts'

/** How long exclusions that a person has seen are listed. */
const SEEN_DAYS = 30

/**
 * The exclusions in effect of a product, newest first: all that no person has seen, and of the others those seen in the
 * last 30 days (contract §7.2). Where an item was deleted, only its deletion is in effect.
 */
export async function readExclusions(
  rows: Rows,
  productId: number,
  { now }: { now: number },
): Promise<ExclusionFact[]> {
  const found = await exclusionRows(rows, productId, now)
    .where((where) => where.or([where('reviewed_at', 'is', null), where('reviewed_at', '>', now - SEEN_DAYS * dayMs)]))
    .execute()
  return describe(rows, found)
}

/**
 * Records that the person of the call has seen the exclusions, and returns those of them that are still in effect. Throws
 * `PERSON_REQUIRED` for agents and CI, and `not_found` for the first id that is not an exclusion of the product.
 */
export async function reviewExclusions(
  rows: Rows,
  call: Call,
  { productId, ids, note = '' }: { productId: number; ids: readonly string[]; note?: string | undefined },
): Promise<ExclusionFact[]> {
  requirePerson(call)
  const known = await rows
    .selectFrom('exclusion')
    .select('id')
    .where('product_id', '=', productId)
    .where('id', 'in', ids)
    .execute()
  const missing = ids.find((id) => !known.some((one) => one.id === id))
  if (missing !== undefined) throw notFound('exclusion', missing, 'a verdict of the product lists its exclusions')
  const now = call.now()
  const seen = { reviewed_by: JSON.stringify(call.actor), reviewed_at: now, review_note: note }
  const reviewed = await rows
    .updateTable('exclusion')
    .set(seen)
    .where('id', 'in', ids)
    .where('reviewed_at', 'is', null)
    .returning('id')
    .execute()
  for (const { id } of reviewed)
    await audit(rows, call, { verb: 'review', resourceType: 'exclusion', resourceId: id, after: seen })
  return describe(rows, await exclusionRows(rows, productId, now).where('id', 'in', ids).execute())
}

function exclusionRows(rows: Rows, productId: number, now: number) {
  return rows
    .selectFrom('exclusion')
    .selectAll()
    .where('product_id', '=', productId)
    .where((where) => where.or([where('ended_at', 'is', null), where('ended_at', '>', now)]))
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
}

type StoredExclusion = Awaited<ReturnType<ReturnType<typeof exclusionRows>['execute']>>[number]

async function describe(rows: Rows, found: readonly StoredExclusion[]): Promise<ExclusionFact[]> {
  const items = await readItems(rows, found)
  const actors = parsedOnce()
  return found.flatMap((row) => {
    const ends = row.item_id.split('/').map((id) => items.get(id))
    const isGone = ends.some((item) => item === undefined || (item.isDeleted && !row.kind.endsWith('_deleted')))
    if (isGone) return []
    return {
      id: row.id,
      kind: ExclusionKind.parse(row.kind),
      item: {
        type: Exclusion.shape.item.shape.type.parse(row.item_type),
        id: row.item_id,
        key: ends.map((item) => item?.key).join(' > '),
        title: ends[0]?.title ?? '',
      },
      actor: actors(row.actor),
      by_agent: row.by_agent === 1,
      at: timestamp(row.at),
      reason: row.reason,
      reviewed_by: row.reviewed_by === null ? null : actors(row.reviewed_by),
      reviewed_at: timestampOrNull(row.reviewed_at),
    }
  })
}

interface Item {
  key: string
  title: string
  isDeleted: boolean
}

/** Parses each distinct actor once: thousands of exclusions share a few. */
function parsedOnce() {
  const known = new Map<string, z.output<typeof StoredActor>>()
  return (json: string) => {
    const actor = known.get(json) ?? readJson(StoredActor, json)
    known.set(json, actor)
    return actor
  }
}

/** Requirements, tests, issues and environments by id, deleted ones too; of a link both ends. */
async function readItems(rows: Rows, found: readonly StoredExclusion[]): Promise<Map<string, Item>> {
  const items = new Map<string, Item>()
  const isAmong = (column: string, ids: readonly string[]) => rows.dialect.isOneOf(column, ids)
  const named = (...types: string[]) => [
    ...new Set(found.flatMap((row) => (types.includes(row.item_type) ? row.item_id.split('/') : []))),
  ]
  const columns = ['id', 'number', 'title', 'deleted_at'] as const
  const requirements = rows
    .selectFrom('requirement')
    .select(columns)
    .where(isAmong('id', named('requirement', 'link')))
  const tests = rows
    .selectFrom('test')
    .select(columns)
    .where(isAmong('id', named('test', 'link')))
  const issues = rows
    .selectFrom('issue')
    .innerJoin('product', 'product.id', 'issue.product_id')
    .select(['issue.id', 'issue.number', 'issue.title', 'product.key_prefix'])
    .where(isAmong('issue.id', named('issue')))
  const environments = rows
    .selectFrom('environment')
    .select(['id', 'name', 'origin', 'deleted_at'])
    .where(isAmong('id', named('environment')))
  for (const { id, deleted_at, ...row } of await environments.execute()) {
    const key = isKnownEnvironment(row) ? row.name : id
    items.set(id, { key, title: row.name, isDeleted: deleted_at !== null })
  }
  for (const { id, deleted_at, ...row } of await requirements.execute())
    items.set(id, { key: requirementKey(row), title: row.title, isDeleted: deleted_at !== null })
  for (const { id, deleted_at, ...row } of await tests.execute())
    items.set(id, { key: testKey(row), title: row.title, isDeleted: deleted_at !== null })
  for (const { id, number, title, key_prefix } of await issues.execute())
    items.set(id, { key: `${key_prefix}-${String(number)}`, title, isDeleted: false })
  return items
}
