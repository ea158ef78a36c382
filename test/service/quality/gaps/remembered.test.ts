import { expect, test } from 'vitest'
import { startApp, type App } from '../../../app.ts'

const crash = {
  exception: {
    values: [
      {
        type: 'TypeError',
        value: 'broken',
        stacktrace: {
          frames: [{ function: 'run', filename: 'src/cart/total.ts', lineno: 1, colno: 1, in_app: true }],
        },
      },
    ],
  },
}

/** What the three pages that share facts of errors say of the requirement and of files. */
async function seen({ api, productId: product_id }: App, requirement_id: string) {
  const { coverage_gaps: gaps } = await api.listCoverageGaps({ product_id })
  const { test_context: context } = await api.getTestContext({ product_id, requirement_id })
  const { traceability_matrix: matrix } = await api.getTraceability({ product_id })
  return {
    gaps: gaps.map(({ type, exposure }) => [type, exposure?.events]),
    context: context.related_issues?.map(({ times_seen }) => times_seen),
    matrix: matrix.rows?.flatMap(({ issues = [] }) => issues.map(({ times_seen }) => times_seen)),
  }
}

const noTest = (events: number) => ['GAP_TYPE_NO_TEST', events]

test('a page that was read before an event, a status or a claim changed shows it when it is read again', async () => {
  await using app = await startApp()
  const { api, productId: product_id } = app
  const { requirement } = await api.createRequirement({
    product_id,
    title: 'a rule',
    code_refs: [{ path: 'src/cart/**' }],
  })
  const { id } = requirement
  expect(await seen(app, id)).toEqual({ gaps: [noTest(0)], context: [], matrix: [] })
  await app.ingest(crash)
  const once = { gaps: [noTest(1)], context: [1], matrix: [1] }
  expect(await seen(app, id)).toEqual(once)
  expect(await seen(app, id)).toEqual(once)
  await app.ingest(crash)
  expect(await seen(app, id)).toEqual({ gaps: [noTest(2)], context: [2], matrix: [2] })
  const { issues } = await api.listIssues({ product_id })
  await api.setIssueStatus({ id: issues[0]!.id, status: 'ignored' })
  expect(await seen(app, id)).toEqual({ gaps: [noTest(2)], context: [], matrix: [] })
  await api.updateRequirement({ id, code_refs: [{ path: 'src/other/**' }] })
  const { gaps } = await seen(app, id)
  expect(gaps).toHaveLength(2)
  expect(gaps).toEqual(expect.arrayContaining([noTest(0), ['GAP_TYPE_UNCLAIMED_HOT_FILE', 2]]))
})
