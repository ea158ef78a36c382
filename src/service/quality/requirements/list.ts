import { sql, type Expression, type SqlBool } from 'kysely'
import type { InputOf } from '../../../contract/index.ts'
import { cutPage, pagingMembers, textCursor, type Page } from '../../shared/paging.ts'
import { columnIn } from '../../sql/conditions.ts'
import { countRows } from '../../sql/count-rows.ts'
import type { Rows } from '../../sql/database.ts'
import { requirementNumber } from '../keys.ts'
import type { StoredRequirement } from './access.ts'
import { requirementsOfPaths } from './match.ts'

type Filter = Omit<
  InputOf<'listRequirements'>,
  'product_id' | 'page_size' | 'page_token' | 'sort' | 'branch_id' | 'view'
>
type Sort = NonNullable<InputOf<'listRequirements'>['sort']> | 'rank'

/** Each order uses one expression and then the number, so that the page after a row is a range. */
const orders = {
  position: { by: sql`requirement.tree_path`, descending: false },
  key: { by: sql`requirement.number`, descending: false },
  updated_at: { by: sql`requirement.updated_at`, descending: true },
  priority: {
    by: sql`CASE requirement.priority WHEN 'PRIORITY_CRITICAL' THEN 0 WHEN 'PRIORITY_HIGH' THEN 1 WHEN 'PRIORITY_MEDIUM' THEN 2 ELSE 3 END`,
    descending: false,
  },
  rank: { by: sql`ranked.rank`, descending: false },
} as const satisfies Record<Sort, unknown>

/**
 * One page of the requirements of a product that match the filter, ordered by `sort` (tree order by default), then by
 * number. A full-text query without `sort` returns the best match first.
 */
export async function listRequirementRows(
  rows: Rows,
  query: { productId: number; filter: Filter; sort: Sort | undefined; page: Page },
): Promise<{ requirements: StoredRequirement[]; paging: ReturnType<typeof pagingMembers> }> {
  const { productId, filter, page } = query
  const isSearch = filter.q !== undefined && filter.q !== ''
  const ranked = isSearch ? rows.dialect.textIndex.search('requirement', filter.q ?? '') : undefined
  // The query is only punctuation: nothing can match.
  if (isSearch && ranked === undefined) return { requirements: [], paging: pagingMembers(page, '', 0) }
  const sort = query.sort ?? (isSearch ? 'rank' : 'position')
  const { by, descending } = orders[isSearch || sort !== 'rank' ? sort : 'position']
  const where = await conditions(rows, productId, filter)
  const matching = rows
    .selectFrom('requirement')
    .innerJoin('requirement_coverage as coverage', 'coverage.requirement_id', 'requirement.id')
    .$if(isSearch, (joined) =>
      joined.innerJoin(ranked!.as('ranked'), (join) => join.onRef('ranked.seq', '=', 'requirement.seq')),
    )
    .where((eb) => eb.and(where))
  const after = sort === 'position' ? await treeCursor(rows, productId, page) : page.after
  const place = sql<string | number>`${by}`
  const finding = matching
    .selectAll('requirement')
    .select(place.as('sort_value'))
    .$if(after !== undefined, (paged) =>
      paged.where(
        sql<boolean>`(${by}, requirement.number) ${sql.raw(descending ? '<' : '>')} (${after?.sortValue}, ${Number(after?.id)})`,
      ),
    )
    .orderBy(place, descending ? 'desc' : 'asc')
    .orderBy('requirement.number', descending ? 'desc' : 'asc')
    .limit(page.size + 1)
    .execute()
  const [total, found] = await Promise.all([countRows(matching), finding])
  const cut = cutPage(page, found, total, (row) => ({ sortValue: row.sort_value, id: String(row.number) }))
  return { requirements: cut.rows, paging: cut.paging }
}

/** The cursor in tree order. The path of a requirement far down in the tree is too long for a token. */
function treeCursor(rows: Rows, productId: number, page: Page) {
  return textCursor(page, (number) =>
    rows
      .selectFrom('requirement')
      .select('tree_path as text')
      .where('product_id', '=', productId)
      .where('number', '=', Number(number))
      .where('deleted_at', 'is', null)
      .executeTakeFirst(),
  )
}

async function conditions(rows: Rows, productId: number, filter: Filter): Promise<Expression<SqlBool>[]> {
  const all: Expression<SqlBool>[] = [
    sql<boolean>`requirement.product_id = ${productId}`,
    sql<boolean>`requirement.deleted_at IS NULL`,
  ]
  const { parent_id, key, kind, status, priority, tag, component_id, coverage_state, suspect, path, updated_since } =
    filter
  if (parent_id !== undefined) all.push(sql<boolean>`requirement.parent_id = ${parent_id === 'root' ? '' : parent_id}`)
  if (key !== undefined) all.push(columnIn('requirement.number', key.map(requirementNumber)))
  if (kind !== undefined) all.push(sql<boolean>`requirement.kind = ${kind}`)
  if (status !== undefined) all.push(columnIn('requirement.status', status))
  if (priority !== undefined) all.push(columnIn('requirement.priority', priority))
  for (const one of tag ?? []) {
    all.push(rows.dialect.arrayContains('requirement.tags', one))
  }
  if (component_id !== undefined) {
    all.push(
      sql<boolean>`requirement.id IN (SELECT requirement_id FROM requirement_component WHERE product_id = ${productId} AND component_id = ${component_id})`,
    )
  }
  if (coverage_state !== undefined) all.push(columnIn('coverage.state', coverage_state))
  if (suspect !== undefined) all.push(sql<boolean>`coverage.suspect = ${suspect ? 1 : 0}`)
  if (path !== undefined) {
    const claims = (await requirementsOfPaths(rows, productId, [path.replace(/^\.?\//, '')])).values()
    all.push(
      columnIn(
        'requirement.id',
        [...claims].flat().map(({ requirementId }) => requirementId),
      ),
    )
  }
  if (updated_since !== undefined) all.push(sql<boolean>`requirement.updated_at >= ${Date.parse(updated_since)}`)
  return all
}
