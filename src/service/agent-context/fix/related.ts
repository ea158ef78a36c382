import type { Rows } from '../../sql/database.ts'
import type { RelatedBody } from './bodies.ts'
import type { NoteTruncation } from '../../shared/truncation-notes.ts'

const SHOWN = 5
/** The most places of the issue that are looked up, nearest to the crash. */
const PLACES = 20
/** The most issues read per place, newest first: an entry point such as a router is in the stack of every issue. */
const ISSUES_PER_PLACE = 500
/** How many of the issues with the most shared places are compared by when they were last seen. */
const COMPARED = 200

/**
 * Up to five other issues of the product whose in-app frames share places (path and function) with those of this one:
 * most shared places first, then last seen first.
 */
export async function relatedIssues(
  rows: Rows,
  issue: { id: string; product_id: number },
  { keyPrefix, note }: { keyPrefix: string; note: NoteTruncation },
): Promise<RelatedBody[]> {
  const shared = await sharedPlaces(rows, issue)
  const candidates = [...shared].toSorted(mostSharedFirst).slice(0, COMPARED)
  if (candidates.length === 0) return []
  const ids = candidates.map(([id]) => id)
  const found = await rows
    .selectFrom('issue')
    .select(['id', 'number', 'title', 'last_seen'])
    .where('id', 'in', ids)
    .execute()
  const ranked = found
    .map((row) => ({ ...row, shared: shared.get(row.id) ?? 0 }))
    .toSorted((left, right) => right.shared - left.shared || right.last_seen - left.last_seen)
  note('related_issues', 'count', Math.min(SHOWN, shared.size), shared.size)
  return ranked.slice(0, SHOWN).map(({ id, number, title, shared: count }) => ({
    id,
    short_id: `${keyPrefix}-${number}`,
    title,
    shared_frames: count,
  }))
}

/** Ids sort by creation: among equals, the issue created last comes first. */
function mostSharedFirst([leftId, left]: [string, number], [rightId, right]: [string, number]): number {
  return right - left || (leftId < rightId ? 1 : -1)
}

/** The number of shared places by issue. */
async function sharedPlaces(
  rows: Rows,
  { id, product_id: productId }: { id: string; product_id: number },
): Promise<Map<string, number>> {
  const places = await rows
    .selectFrom('issue_frame')
    .select(['path', 'function'])
    .where('issue_id', '=', id)
    .orderBy('distance')
    .limit(PLACES)
    .execute()
  const shared = new Map<string, number>()
  for (const { path, function: name } of places) {
    const others = await rows
      .selectFrom('issue_frame')
      .select('issue_id')
      .where('product_id', '=', productId)
      .where('path', '=', path)
      .where('function', '=', name)
      .where('issue_id', '<>', id)
      .orderBy('issue_id', 'desc')
      .limit(ISSUES_PER_PLACE)
      .execute()
    for (const { issue_id: other } of others) shared.set(other, (shared.get(other) ?? 0) + 1)
  }
  return shared
}
