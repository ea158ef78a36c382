import type * as z from 'zod'
import type { InputOf } from '../../../contract/index.ts'
import type { GapSummary } from '../../../contract/retrieval.ts'
import type { CoveredProduct } from '../coverage/read.ts'
import { componentRefs } from '../../workspace/releases/names.ts'
import { lastRowChanged, nextToken, pagingMembers, type Page } from '../../shared/paging.ts'
import type { Rows } from '../../sql/database.ts'
import { gapId, scanGaps, type ScannedGap } from './scan.ts'
import { viewGaps, type GapBody, type GapViewing } from './view.ts'
import type { GapTypeName } from './score.ts'

type Filter = Pick<InputOf<'listCoverageGaps'>, 'type' | 'component_id' | 'priority' | 'min_score'>

/** One page of a product's gaps, worst first, with counts over all that match. */
export async function listGaps(
  rows: Rows,
  product: CoveredProduct,
  { filter, page, ...viewing }: GapViewing & { filter: Filter; page: Page },
): Promise<{ gaps: GapBody[]; paging: ReturnType<typeof pagingMembers>; summary: z.input<typeof GapSummary> }> {
  const all = await matching(rows, await scanGaps(rows, product, viewing), filter)
  const after = page.after === undefined ? undefined : readCursor(page.after, all)
  const start = after === undefined ? 0 : all.findIndex((gap) => isAfter(gap, after))
  const shown = start < 0 ? [] : all.slice(start, start + page.size)
  const last = shown.at(-1)
  const hasMore = start >= 0 && start + page.size < all.length && last !== undefined
  const token = hasMore ? nextToken(page, { sortValue: last.score, id: shortId(last) }) : ''
  const ranked = shown.map((gap, index) => ({ gap, rank: start + index + 1 }))
  const [gaps, summary] = await Promise.all([viewGaps(rows, product, ranked, viewing), summarise(rows, all)])
  return { gaps, paging: pagingMembers(page, token, all.length), summary }
}

/** What the list is ordered by. */
type Place = Pick<ScannedGap, 'score' | 'number' | 'path'>

/**
 * What a page token keeps of a gap: the number of the requirement, negative while it is provisional, or a part of the gap's
 * id because a path is long.
 */
function shortId(gap: ScannedGap): string {
  return gap.number === Infinity ? gapId(gap).slice(0, 16) : `a ${String(gap.number)}`
}

/** The place of a token's gap, also when the score has changed since. Throws when the list has lost its file. */
function readCursor({ sortValue, id }: NonNullable<Page['after']>, all: readonly ScannedGap[]): Place {
  const score = Number(sortValue)
  if (id.startsWith('a ')) return { score, number: Number(id.slice(2)), path: '' }
  const file = all.find((gap) => gap.number === Infinity && shortId(gap) === id)
  if (file === undefined) throw lastRowChanged()
  return { score, number: Infinity, path: file.path }
}

/** Whether a gap comes after the cursor, even if scores have changed since the previous page. */
function isAfter(gap: ScannedGap, { score, number, path }: Place): boolean {
  if (gap.score !== score) return gap.score < score
  return gap.number === number ? gap.path > path : gap.number > number
}

async function matching(rows: Rows, gaps: ScannedGap[], filter: Filter): Promise<ScannedGap[]> {
  const { type, component_id, priority, min_score = 0 } = filter
  const wanted = priority === undefined ? undefined : await withPriority(rows, gaps, priority)
  return gaps.filter(
    (gap) =>
      gap.score >= min_score &&
      (type === undefined || type.includes(gap.type)) &&
      (component_id === undefined || gap.componentIds.includes(component_id)) &&
      (wanted === undefined || wanted.has(gap.requirementId ?? '')),
  )
}

async function withPriority(
  rows: Rows,
  gaps: readonly ScannedGap[],
  priority: readonly string[],
): Promise<Set<string>> {
  const asked = new Set(gaps.map(({ requirementId }) => requirementId))
  const found = await rows
    .selectFrom('requirement')
    .select('id')
    .where('priority', 'in', priority)
    .where('deleted_at', 'is', null)
    .execute()
  return new Set(found.map(({ id }) => id).filter((id) => asked.has(id)))
}

async function summarise(rows: Rows, gaps: readonly ScannedGap[]): Promise<z.input<typeof GapSummary>> {
  const byComponent = Map.groupBy(
    gaps.flatMap((gap) => (gap.componentIds.length === 0 ? [''] : gap.componentIds).map((id) => ({ id, gap }))),
    ({ id }) => id,
  )
  const names = await componentRefs(rows, byComponent.keys())
  const of = (state: ScannedGap['state']) => gaps.filter((gap) => gap.state === state).length
  return {
    total: gaps.length,
    by_state: { not_run: of('not_run'), no_test: of('no_test') },
    by_type: countedTypes(gaps),
    by_component: [...byComponent]
      .map(([component_id, list]) => ({
        component_id,
        name: names.get(component_id)?.title ?? '',
        gaps: list.length,
        max_score: list.reduce((most, { gap }) => Math.max(most, gap.score), 0),
      }))
      .toSorted((a, b) => b.max_score - a.max_score || b.gaps - a.gaps),
  }
}

function countedTypes(gaps: readonly ScannedGap[]): Record<GapTypeName, number> {
  const count = (type: GapTypeName) => gaps.filter((gap) => gap.type === type).length
  return {
    GAP_TYPE_NO_TEST: count('GAP_TYPE_NO_TEST'),
    GAP_TYPE_NOT_RUN: count('GAP_TYPE_NOT_RUN'),
    GAP_TYPE_FAILING: count('GAP_TYPE_FAILING'),
    GAP_TYPE_SUSPECT: count('GAP_TYPE_SUSPECT'),
    GAP_TYPE_STALE: count('GAP_TYPE_STALE'),
    GAP_TYPE_PARTIAL_CRITERIA: count('GAP_TYPE_PARTIAL_CRITERIA'),
    GAP_TYPE_UNCLAIMED_HOT_FILE: count('GAP_TYPE_UNCLAIMED_HOT_FILE'),
  }
}
