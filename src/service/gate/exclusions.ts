import { sql } from 'kysely'
import { notFound } from '../../errors.ts'
import type { Call } from '../shared/context.ts'
import { dayMs } from '../shared/times.ts'
import type { Rows } from '../sql/database.ts'
import { renewed } from '../sql/remembered.ts'
import { audit } from '../workspace/audit.ts'
import { newestRevision, nextRevision } from '../workspace/exclusions.ts'
import {
  describe,
  exclusions,
  listedUntil,
  SEEN_MS,
  type KeptExclusion,
  type LastingExclusion,
  type StoredExclusion,
} from './exclusion-facts.ts'
import type { ExclusionFact } from './facts.ts'
import { requirePerson } from './person.ts'

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
  // What is in effect at some time from the beginning of the day on holds for any time of that day (decision 093).
  const since = now - (now % dayMs)
  const { inEffectAt } = await renewed<Listed>(rows, `exclusions of ${String(productId)} since ${String(since)}`, {
    renew: (before) => list(rows, productId, since, before),
    size: ({ kept }) => EXCLUSION_BYTES * (kept.length + 1),
  })
  return inEffectAt(now)
}

/** Of an exclusion as it is stored and listed, with its text in the digest. */
const EXCLUSION_BYTES = 2_000

/** The exclusions that are in effect at some time from a time on. */
interface Listed {
  /** The newest change when they were read, or an earlier one. */
  revision: number
  /** Newest first. */
  kept: readonly KeptExclusion[]
  lasting: readonly LastingExclusion[]
  inEffectAt: (now: number) => readonly ExclusionFact[]
}

async function list(rows: Rows, productId: number, since: number, before: Listed | undefined): Promise<Listed> {
  const revision = await readRevision(rows, productId)
  const kept = await keep(rows, productId, since, { before, revision })
  const lasting = await describe(rows, productId, kept)
  const isSame = lasting.length === before?.lasting.length && lasting.every((one, at) => one === before.lasting[at])
  // The digest knows the text of a list that it was given before.
  const inEffectAt = isSame ? before.inEffectAt : selectByTime(lasting)
  return { revision, kept, lasting, inEffectAt }
}

async function readRevision(rows: Rows, productId: number): Promise<number> {
  const { rows: found } = await sql<{ revision: number }>`SELECT ${newestRevision(productId)} AS revision`.execute(rows)
  return found[0]?.revision ?? 0
}

/** All, or those of before with the changes since. */
async function keep(
  rows: Rows,
  productId: number,
  since: number,
  { before, revision }: { before: Listed | undefined; revision: number },
): Promise<readonly KeptExclusion[]> {
  if (before === undefined) {
    const all = await inEffectAfter(rows, productId, since)
      .where((where) => where.or([where('reviewed_at', 'is', null), where('reviewed_at', '>', since - SEEN_MS)]))
      .execute()
    return notDescribed(all).toSorted(newestFirst)
  }
  if (before.revision === revision) return before.kept
  const changed = await exclusions(rows, productId)
    .where('revision', '>', before.revision)
    // The second condition is that of the index.
    .where(sql<boolean>`revision > 0`)
    .execute()
  const ids = new Set(changed.map(({ id }) => id))
  const others = before.kept.filter(({ row }) => !ids.has(row.id))
  const stillListed = changed.filter((row) => listedUntil(row) > since)
  return [...others, ...notDescribed(stillListed)].toSorted(newestFirst)
}

function notDescribed(rows: readonly StoredExclusion[]): KeptExclusion[] {
  return rows.map((row) => ({ row, described: undefined }))
}

function newestFirst({ row: one }: KeptExclusion, { row: other }: KeptExclusion): number {
  return other.at - one.at || (one.id < other.id ? 1 : -1)
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
    .selectAll()
    .where('product_id', '=', productId)
    .where('id', 'in', ids)
    .execute()
  const missing = ids.find((id) => !known.some((one) => one.id === id))
  if (missing !== undefined) throw notFound('exclusion', missing, 'a verdict of the product lists its exclusions')
  const now = call.now()
  const seen = { reviewed_by: JSON.stringify(call.actor), reviewed_at: now, review_note: note }
  const reviewed = await rows
    .updateTable('exclusion')
    .set({ ...seen, revision: nextRevision })
    .where('id', 'in', ids)
    .where('reviewed_at', 'is', null)
    .returningAll()
    .execute()
  for (const after of reviewed) {
    const before = known.find(({ id }) => id === after.id)
    await audit(rows, call, { verb: 'review', resourceType: 'exclusion', resourceId: after.id, before, after })
  }
  const stillInEffect = await inEffectAfter(rows, productId, now).where('id', 'in', ids).execute()
  const kept = notDescribed(stillInEffect).toSorted(newestFirst)
  return (await describe(rows, productId, kept)).map(({ fact }) => fact)
}

function inEffectAfter(rows: Rows, productId: number, time: number) {
  return exclusions(rows, productId).where((where) =>
    where.or([where('ended_at', 'is', null), where('ended_at', '>', time)]),
  )
}
