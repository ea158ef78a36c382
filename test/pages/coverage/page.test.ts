import { expect, test } from 'vitest'
import { startSampleApp } from '../../sample-app.ts'
import { openDesk } from '../rig.ts'

test('the coverage page has the totals, gaps and components of the service, with the prompt that closes each gap', async () => {
  await using desk = await openDesk(await startSampleApp())
  const { read } = await desk.signIn()
  const { api, productId } = desk.app
  const { coverage_gaps: gaps, summary } = await api.listCoverageGaps({ product_id: productId, page_size: 15 })
  const { traceability_matrix: matrix } = await api.getTraceability({ product_id: productId, page_size: 1 })
  const html = await (await read('/coverage')).text()
  const { requirements, verified } = matrix.totals ?? {}
  expect(html).toContain(`${String(verified)} of ${String(requirements)} requirements verified`)
  expect(html).toContain(`${String(summary?.total)} gaps</strong>`)
  const keys = [...html.matchAll(/class="key">([^<]+)</g)].map(([, key]) => key)
  expect(keys).toEqual(gaps.flatMap(({ requirement }) => requirement?.key ?? []))
  expect(html).toContain('Begin with REQ-16.')
  expect(html).toContain('href="/triage?product=1&amp;issue=SHOP-25"')
  const { components } = await api.listComponents({ product_id: productId })
  for (const { name = '' } of components) expect(html).toContain(name)

  const failing = await (await read('/coverage?type=GAP_TYPE_FAILING')).text()
  expect(failing).toContain(`${String(summary?.by_type?.GAP_TYPE_FAILING)} gaps</strong>`)
  const part = await (await read(`/coverage?component=${components[0]?.id ?? ''}`)).text()
  expect(part).toContain(`value="${components[0]?.id ?? ''}" selected`)
  expect((await read('/coverage?component=nowhere')).status).toBe(404)
  expect(desk.errors).toEqual([])
})
