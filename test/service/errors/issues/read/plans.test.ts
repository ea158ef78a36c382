import { StatementSync } from 'node:sqlite'
import { expect, test, vi } from 'vitest'
import * as z from 'zod'
import type { IssueQuery, IssueSort } from '../../../../../src/service/errors/issues/read/list/conditions.ts'
import { pageQuery } from '../../../../../src/service/errors/issues/read/list/list.ts'
import { viewProducts } from '../../../../../src/service/workspace/product-view.ts'
import type { Cursor } from '../../../../../src/service/shared/page-token.ts'
import { openRig, type Rig } from '../rig.ts'
import { usesPostgres } from '../../../../postgres/databases.ts'

// The plans are SQLite's.

const Parameter = z.union([z.string(), z.number()])

const BY_ID = 'SEARCH issue USING INDEX sqlite_autoindex_issue_1 (id=?)'

test.skipIf(usesPostgres())(
  'a page reads the issues that were not touched in the order of an index, and only the touched ones beside',
  async () => {
    await using rig = await openRig()
    for (const sort of ['last_seen', 'first_seen'] as const) {
      const after = { sortValue: 5, id: 'x', asOf: 7 }
      const steps = await planSteps(rig, { filter: {}, sort, after })
      expect(steps).toContain(`SEARCH issue USING INDEX issue_${sort} (product_id=? AND (${sort},id)<(?,?))`)
      expect(steps).toContain('SEARCH issue USING INDEX issue_last_seq (product_id=? AND last_seq>?)')
      expect(steps.filter((step) => step.startsWith('SCAN issue'))).toEqual([])
    }
  },
)

test.skipIf(usesPostgres())('the new issues of a release are found through an index', async () => {
  await using rig = await openRig()
  const steps = await planSteps(rig, { filter: { first_release_id: 'release' } })
  expect(steps).toContain('SEARCH brought USING COVERING INDEX issue_environment_first_release (first_release_id=?)')
  expect(steps.filter((step) => /^SCAN (?:issue|brought)/.test(step))).toEqual([])
})

test.skipIf(usesPostgres()).each([
  ['a page that is known', { filter: { period: '7d' }, matching: ['a', 'b'], sort: 'times_seen' }],
  ['issues that came back in a release', { filter: { regressed_release_id: 'release' } }],
] as const)('SQLite reads %s by ids, not by an index of the product', async (_, query) => {
  await using rig = await openRig()
  const steps = await planSteps(rig, query)
  const ofIssues = steps.filter((step) => /^(?:SCAN|SEARCH) issue /.test(step))
  expect(new Set(ofIssues)).toEqual(new Set([BY_ID]))
})

test.skipIf(usesPostgres())(
  'after an event a list looks its issue up by its id, not among all of the product',
  async () => {
    await using rig = await openRig()
    await rig.append({ environment: 'production' })
    const [environment] = await rig.db.read.selectFrom('environment').selectAll().execute()
    const input = { product_id: rig.product_id, environment_id: environment?.id, q: 'pay' }
    await rig.handlers.listIssues(input, rig.call)
    await rig.append({ environment: 'production' })
    const statements = await readStatements(() => rig.handlers.listIssues(input, rig.call))
    const byIds = statements.filter((text) => /from "issue" .*json_each/.test(text))
    const plans = await Promise.all(byIds.map((text) => explain(rig, text)))
    // The title, what filters compare, and the page.
    expect(plans.map((steps) => steps.filter((step) => / issue /.test(step)))).toEqual([[BY_ID], [BY_ID], [BY_ID]])
  },
)

test.skipIf(usesPostgres())(
  'the unresolved issues of products are counted in an index that has no others',
  async () => {
    await using rig = await openRig()
    const products = await rig.db.read.selectFrom('product').selectAll().execute()
    const statements = await readStatements(() => viewProducts(rig.db.read, 'http://localhost', products))
    const [counting = ''] = statements.filter((text) => text.includes('unresolved_issues'))
    const steps = await explain(rig, counting)
    expect(steps.filter((step) => / issue /.test(step))).toEqual([
      'SEARCH issue USING COVERING INDEX issue_unresolved (product_id=?)',
    ])
  },
)

/** The texts of the statements that the work reads lists with. */
async function readStatements(work: () => Promise<unknown>): Promise<string[]> {
  const spy = vi.spyOn(StatementSync.prototype, 'all')
  try {
    await work()
    return (spy.mock.contexts as StatementSync[]).map(({ sourceSQL }) => sourceSQL)
  } finally {
    spy.mockRestore()
  }
}

/** How SQLite reads the first page of a query, or the one after a row. */
async function planSteps(
  rig: Rig,
  { after, ...asked }: Pick<IssueQuery, 'filter' | 'matching'> & { sort?: IssueSort; after?: Cursor },
): Promise<string[]> {
  const product = { id: rig.productId, key_prefix: 'SHOP' }
  const page = { size: 50, query: '', after }
  const query = pageQuery(rig.db.read, { product, sort: 'last_seen', page, now: 0, ...asked }, 7).compile()
  return explain(rig, query.sql, z.array(Parameter).parse(query.parameters))
}

async function explain(rig: Rig, text: string, parameters: (string | number)[] = []): Promise<string[]> {
  const plan = await rig.db.batch((prepare) =>
    prepare(`EXPLAIN QUERY PLAN ${text}`).all<{ detail: string }>(...parameters),
  )
  return plan.map(({ detail }) => detail)
}
