import { sql, type Expression, type SqlBool } from 'kysely'
import type { InputOf } from '../../../contract/index.ts'
import { compileGlob, isLiteral, literalPrefix } from '../../workspace/components/glob.ts'
import { cutPage, pagingMembers, type Page } from '../../shared/paging.ts'
import { columnIn } from '../../sql/conditions.ts'
import { countRows } from '../../sql/count-rows.ts'
import type { Rows } from '../../sql/database.ts'
import { testNumber } from '../keys.ts'
import type { StoredTest } from './access.ts'
import { quarantinedSql } from '../coverage/quarantine.ts'

type Filter = Omit<InputOf<'listTests'>, 'product_id' | 'page_size' | 'page_token' | 'branch_id' | 'view'>

/**
 * One page of the tests of a product that match the filter, by number; a full-text query returns the best match first.
 */
export async function listTestRows(
  rows: Rows,
  { productId, filter, page, now }: { productId: number; filter: Filter; page: Page; now: number },
): Promise<{ tests: StoredTest[]; paging: ReturnType<typeof pagingMembers> }> {
  const isSearch = filter.q !== undefined && filter.q !== ''
  const ranked = isSearch ? rows.dialect.textIndex.search('test', filter.q ?? '') : undefined
  // The query is only punctuation: nothing can match.
  if (isSearch && ranked === undefined) return { tests: [], paging: pagingMembers(page, '', 0) }
  const where = await conditions(rows, productId, filter, now)
  const matching = rows
    .selectFrom('test')
    .$if(isSearch, (joined) =>
      joined.innerJoin(ranked!.as('ranked'), (join) => join.onRef('ranked.seq', '=', 'test.seq')),
    )
    .where((eb) => eb.and(where))
  const by = isSearch ? sql<number>`ranked.rank` : sql<number>`test.number`
  const { after } = page
  const finding = matching
    .selectAll('test')
    .select(by.as('sort_value'))
    .$if(after !== undefined, (paged) =>
      paged.where(sql<boolean>`(${by}, test.number) > (${after?.sortValue}, ${Number(after?.id)})`),
    )
    .orderBy(by)
    .orderBy('test.number')
    .limit(page.size + 1)
    .execute()
  const [total, found] = await Promise.all([countRows(matching), finding])
  const cut = cutPage(page, found, total, (row) => ({ sortValue: row.sort_value, id: String(row.number) }))
  return { tests: cut.rows, paging: cut.paging }
}

async function conditions(rows: Rows, productId: number, filter: Filter, now: number): Promise<Expression<SqlBool>[]> {
  const all: Expression<SqlBool>[] = [
    sql<boolean>`test.product_id = ${productId}`,
    sql<boolean>`test.deleted_at IS NULL`,
  ]
  const { kind, parent_id, status, level, framework, quarantined, file_path } = filter
  for (const [column, value] of Object.entries({ kind, parent_id, status, level, framework })) {
    if (value !== undefined) all.push(sql<boolean>`${sql.raw(`test.${column}`)} = ${value}`)
  }
  if (quarantined !== undefined) all.push(quarantined ? quarantinedSql(now) : sql<boolean>`NOT ${quarantinedSql(now)}`)
  if (filter.key !== undefined) all.push(columnIn('test.number', filter.key.map(testNumber)))
  if (filter.result_status !== undefined) all.push(columnIn('test.last_status', filter.result_status))
  if (filter.tag !== undefined) all.push(rows.dialect.arrayContains('test.tags', filter.tag))
  if (filter.component_id !== undefined) all.push(rows.dialect.arrayContains('test.component_ids', filter.component_id))
  if (filter.requirement_id !== undefined) {
    all.push(
      sql<boolean>`test.id IN (SELECT test_id FROM test_link WHERE requirement_id = ${filter.requirement_id} AND archived_at IS NULL)`,
    )
  }
  if (filter.linked !== undefined) {
    const link = sql`EXISTS (SELECT 1 FROM test_link WHERE test_link.test_id = test.id AND archived_at IS NULL)`
    all.push(filter.linked ? sql<boolean>`${link}` : sql<boolean>`NOT ${link}`)
  }
  if (file_path !== undefined) all.push(await inFiles(rows, productId, file_path))
  return all
}

/** Matches an exact path, or every known path that a glob matches. */
async function inFiles(rows: Rows, productId: number, given: string): Promise<Expression<SqlBool>> {
  const glob = given.replaceAll('\\', '/').replace(/^\.?\//, '')
  if (isLiteral(glob)) return sql<boolean>`test.file_path = ${glob}`
  const prefix = literalPrefix(glob)
  const files = await rows
    .selectFrom('test')
    .select('file_path')
    .distinct()
    .where('product_id', '=', productId)
    .where('deleted_at', 'is', null)
    .where('file_path', '>=', prefix)
    .where('file_path', '<', `${prefix}\u{10ffff}`)
    .execute()
  const matches = compileGlob(glob)
  const matching = files.map(({ file_path }) => file_path).filter((path) => matches(path))
  return rows.dialect.isOneOf('test.file_path', matching)
}
