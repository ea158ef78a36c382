import type * as z from 'zod'
import { notFound } from '../../errors.ts'
import { Exclusion, ExclusionKind } from '../../contract/quality-gate/verdict.ts'
import { requirementKey, testKey } from '../quality/keys.ts'
import type { Call } from '../shared/context.ts'
import { dayMs, hourMs, timestamp, timestampOrNull } from '../shared/times.ts'
import { readJson } from '../sql/json.ts'
import type { Rows } from '../sql/database.ts'
import { remembered } from '../sql/remembered.ts'
import { StoredActor } from '../workspace/actor.ts'
import { audit } from '../workspace/audit.ts'
import { isKnownEnvironment } from '../workspace/releases/rules.ts'
import { requirePerson } from './person.ts'
import type { ExclusionFact } from './facts.ts'

/** How long exclusions that a person has seen are listed. */
const SEEN_DAYS = 30

/**
 * The exclusions in effect of a product, newest first: all that no person has seen, and of the others those seen in the
 * last 30 days (contract §7.2). Where an item was deleted, only its deletion is in effect. Callers share the list and must
 * not change it.
 */
export async function readExclusions(
  rows: Rows,
  productId: number,
  { now }: { now: number },
): Promise<readonly ExclusionFact[]> {
  // What is in effect at some time from the last full hour on holds for any time of that hour (decision 093).
  const since = now - (now % hourMs)
  const seenSince = since - SEEN_DAYS * dayMs
  const inEffectAt = await remembered(rows, `exclusions of ${String(productId)} since ${String(since)}`, async () => {
    const found = await endingAfter(rows, productId, since)
      .where((where) =>
        where.or([where('exclusion.reviewed_at', 'is', null), where('exclusion.reviewed_at', '>', seenSince)]),
      )
      .execute()
    return selectByTime(await describe(rows, productId, found))
  })
  return inEffectAt(now)
}

/** An exclusion, and the time at which it is no longer listed; infinite: as long as nothing changes it. */
interface LastingExclusion {
  fact: ExclusionFact
  /** Epoch milliseconds. */
  until: number
}

/** The exclusions in effect at a time; the same list again while none of them ends. */
function selectByTime(all: readonly LastingExclusion[]): (now: number) => readonly ExclusionFact[] {
  let last: { ended: number; facts: readonly ExclusionFact[] } | undefined
  return (now) => {
    const ended = all.reduce((count, { until }) => (until > now ? count : count + 1), 0)
    if (last?.ended !== ended) last = { ended, facts: all.flatMap(({ fact, until }) => (until > now ? [fact] : [])) }
    return last.facts
  }
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
  const stillInEffect = await endingAfter(rows, productId, now).where('exclusion.id', 'in', ids).execute()
  return (await describe(rows, productId, stillInEffect)).map(({ fact }) => fact)
}

/** Newest first, without those that have ended by then; of issues with the number and the title. */
function endingAfter(rows: Rows, productId: number, time: number) {
  return (
    rows
      .selectFrom('exclusion')
      // Thousands of issues may be closed: they are read by a join instead of a list of ids.
      .leftJoin('issue', (join) =>
        join.onRef('issue.id', '=', 'exclusion.item_id').on('exclusion.item_type', '=', 'issue'),
      )
      .select(['exclusion.id', 'exclusion.kind', 'exclusion.item_type', 'exclusion.item_id', 'exclusion.actor'])
      .select(['exclusion.by_agent', 'exclusion.at', 'exclusion.reason', 'exclusion.reviewed_by'])
      .select(['exclusion.reviewed_at', 'exclusion.ended_at', 'issue.number', 'issue.title'])
      .where('exclusion.product_id', '=', productId)
      .where((where) => where.or([where('exclusion.ended_at', 'is', null), where('exclusion.ended_at', '>', time)]))
      .orderBy('exclusion.at', 'desc')
      .orderBy('exclusion.id', 'desc')
  )
}

type StoredExclusion = Awaited<ReturnType<ReturnType<typeof endingAfter>['execute']>>[number]

async function describe(rows: Rows, productId: number, found: readonly StoredExclusion[]): Promise<LastingExclusion[]> {
  const item = await findItems(rows, productId, found)
  const actors = parsedOnce()
  return found.flatMap((row) => {
    const excluded = item(row)
    if (excluded === undefined) return []
    const { actor, at, reviewed_by: by, reviewed_at: seenAt, ended_at: endedAt } = row
    const when = timestamp(at)
    const fact: ExclusionFact = {
      id: row.id,
      kind: ExclusionKind.parse(row.kind),
      item: { type: Exclusion.shape.item.shape.type.parse(row.item_type), id: row.item_id, ...excluded },
      actor: actors(actor),
      by_agent: row.by_agent === 1,
      at: when,
      reason: row.reason,
      reviewed_by: by === null ? null : actors(by),
      // A person who excludes something has seen it at once.
      reviewed_at: seenAt === at ? when : timestampOrNull(seenAt),
    }
    const until = Math.min(endedAt ?? Infinity, seenAt === null ? Infinity : seenAt + SEEN_DAYS * dayMs)
    return [{ fact, until }]
  })
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

/** The key and the title of the item of each exclusion; undefined where it is gone. */
async function findItems(rows: Rows, productId: number, found: readonly StoredExclusion[]) {
  const items = await readItems(rows, found)
  const { key_prefix: prefix } = await rows
    .selectFrom('product')
    .select('key_prefix')
    .where('id', '=', productId)
    .executeTakeFirstOrThrow()
  return (row: StoredExclusion): Pick<Item, 'key' | 'title'> | undefined => {
    const { item_type: type, item_id: id, number, title } = row
    if (type === 'issue')
      return number === null || title === null ? undefined : { key: `${prefix}-${String(number)}`, title }
    const ends = id.split('/').map((end) => items.get(end))
    const isGone = ends.some((end) => end === undefined || (end.isDeleted && !row.kind.endsWith('_deleted')))
    return isGone ? undefined : { key: ends.map((end) => end?.key).join(' > '), title: ends[0]?.title ?? '' }
  }
}

interface Item {
  key: string
  title: string
  isDeleted: boolean
}

/** Requirements, tests and environments by id, deleted ones too; of a link both ends. */
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
  return items
}
