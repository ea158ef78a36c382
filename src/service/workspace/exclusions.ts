import { sql } from 'kysely'
import type * as z from 'zod'
import type { ExclusionKind } from '../../contract/quality-gate/verdict.ts'
import type { Writing } from '../shared/context.ts'
import type { Prepare, Rows } from '../sql/database.ts'

export type ExclusionKindName = z.output<typeof ExclusionKind>
type ItemType = 'requirement' | 'test' | 'issue' | 'link' | 'environment'

/** What a change took out of a condition of the quality gate. */
export interface ExcludedItem {
  productId: number
  itemType: ItemType
  /** Of a link: `linkItem`. */
  itemId: string
}

export interface NewExclusion extends ExcludedItem {
  kind: ExclusionKindName
  reason?: string | undefined
  /** What the item was before, where taking the change back has to know it. */
  was?: string | undefined
  /** When it ends by itself, in epoch milliseconds. */
  endsAt?: number | undefined
  /** The time up to which results were there before, in epoch milliseconds; now unless given. */
  at?: number | undefined
}

/** Exclusions by which a result from before makes a requirement verified, until the test runs again (contract §7.2). */
export const ADDITIONS = ['link_added', 'test_restored'] as const satisfies readonly ExclusionKindName[]

export function isAddition(kind: ExclusionKindName): boolean {
  return ADDITIONS.some((one) => one === kind)
}

/**
 * The next number of a change of an exclusion, in SQL that updates `exclusion`: every statement that does sets `revision`
 * to it (decision 094).
 */
export const NEXT_REVISION = `(SELECT coalesce(max(other.revision), 0) + 1 FROM exclusion AS other
  WHERE other.product_id = exclusion.product_id AND other.revision > 0)`

/** The same for the query builder. */
export const nextRevision = sql<number>`${sql.raw(NEXT_REVISION)}`

/** The number of the newest change of a product's exclusions. */
export function newestRevision(productId: number) {
  return sql<number>`(SELECT coalesce(max(revision), 0) FROM exclusion WHERE product_id = ${productId} AND revision > 0)`
}

/** The id of a link as an excluded item. */
export function linkItem(testId: string, requirementId: string): string {
  return `${testId}/${requirementId}`
}

/**
 * Records that a change takes an item out of a condition of the gate, in the transaction of the change (contract §7.2).
 * It takes the place of an earlier one of its kind, so that what a person has seen stays what that person saw. What a
 * person does is reviewed by that person at once.
 */
export async function recordExclusion(rows: Rows, call: Writing, exclusion: NewExclusion): Promise<void> {
  const { productId, itemType, itemId, kind, reason = '', was = '', endsAt = null } = exclusion
  await endExclusions(rows, call, { productId, itemType, itemId, kinds: [kind] })
  const [actor, now] = [JSON.stringify(call.actor), call.now()]
  await rows
    .insertInto('exclusion')
    .values({
      id: call.newId(),
      product_id: productId,
      kind,
      item_type: itemType,
      item_id: itemId,
      was,
      actor,
      by_agent: call.byAgent ? 1 : 0,
      at: exclusion.at ?? now,
      reason,
      reviewed_by: call.byAgent ? null : actor,
      reviewed_at: call.byAgent ? null : now,
      ended_at: endsAt,
      revision: sql<number>`${newestRevision(productId)} + 1`,
    })
    .execute()
}

/** Notes that a request repeats what already holds: a person who does so has seen what an agent did. */
export async function repeatExclusion(
  rows: Rows,
  call: Writing,
  { productId, itemType, itemId, kind }: ExcludedItem & { kind: ExclusionKindName },
): Promise<void> {
  if (call.byAgent) return
  await inEffect(rows, call, { productId, itemType, itemId, kinds: [kind] })
    .where('reviewed_at', 'is', null)
    .set({ reviewed_by: JSON.stringify(call.actor), reviewed_at: call.now(), revision: nextRevision })
    .execute()
}

/** Ends the exclusions of those kinds, because the item is in again; returns them. */
export async function endExclusions(
  rows: Rows,
  call: Pick<Writing, 'now'>,
  item: ExcludedItem & { kinds: readonly ExclusionKindName[] },
): Promise<Ended[]> {
  const ended = await inEffect(rows, call, item)
    .set({ ended_at: call.now(), revision: nextRevision })
    .returning(['kind', 'was', 'at', 'reviewed_at'])
    .execute()
  return ended.map(({ kind, was, at, reviewed_at: reviewedAt }) => ({ kind, was, at, isReviewed: reviewedAt !== null }))
}

/** An exclusion that has ended. */
export interface Ended {
  kind: string
  was: string
  /** Epoch milliseconds. */
  at: number
  isReviewed: boolean
}

/** `endExclusions` for items that ingest brings back; resolves to whether a person has seen one that it ended. */
export async function endExclusionsNow(
  prepare: Prepare,
  itemId: string,
  kinds: readonly ExclusionKindName[],
  now: number,
): Promise<boolean> {
  let isReviewed = false
  for (const kind of kinds) {
    const ended = await prepare(
      `UPDATE exclusion SET ended_at = ?, revision = ${NEXT_REVISION} WHERE item_id = ? AND kind = ? AND ended_at IS NULL RETURNING reviewed_at`,
    ).all<{ reviewed_at: number | null }>(now, itemId, kind)
    isReviewed ||= ended.some(({ reviewed_at }) => reviewed_at !== null)
  }
  return isReviewed
}

function inEffect(
  rows: Rows,
  call: Pick<Writing, 'now'>,
  { productId, itemType, itemId, kinds }: ExcludedItem & { kinds: readonly ExclusionKindName[] },
) {
  return rows
    .updateTable('exclusion')
    .where('product_id', '=', productId)
    .where('item_type', '=', itemType)
    .where('item_id', '=', itemId)
    .where('kind', 'in', kinds)
    .where((where) => where.or([where('ended_at', 'is', null), where('ended_at', '>', call.now())]))
}
