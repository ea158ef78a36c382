import fc from 'fast-check'
import { expect, test } from 'vitest'
import type * as z from 'zod'
import { GapType } from '../../../../src/contract/test-context.ts'
import { jsonBytes } from '../../../../src/lib/bytes.ts'
import { OUTPUT_BYTES } from '../../../../src/service/agents/output-size.ts'
import type { coverageGapScan } from '../../../../src/service/agents/types/coverage-gap-scan/index.ts'
import { compareScans } from '../../../../src/service/agents/types/coverage-gap-scan/delta.ts'
import { readRequirements } from '../../../../src/service/sample/requirements.ts'
import { readReport, sampleRuns } from '../../../../src/service/sample/test-reports.ts'
import { dayMs } from '../../../../src/service/shared/times.ts'
import { startApp, type App } from '../../../app.ts'
import { startSampleApp } from '../../../sample-app.ts'
import { runType } from '../run-type.ts'

type Output = z.input<typeof coverageGapScan.output>

async function scan(app: App, input: object = {}, options: Parameters<typeof runType>[3] = {}) {
  const { output, ...run } = await runType(app, 'coverage_gap_scan', { ...input }, options)
  // `runType` has parsed it with the output schema of the type.
  return { ...run, output: output as Output }
}

const readKey = ({ requirement, files }: Output['gaps'][number]) => requirement?.key ?? files[0]

const place = { file_path: 'test/more.test.ts', suite_path: [] }

async function report(app: App, results: Readonly<Record<string, string>>): Promise<void> {
  const cases = Object.entries(results).map(([name, status]) => ({ ...place, name, status }))
  const path = `/v1/products/${app.productId}/tests:ingest`
  expect(await app.request('POST', path, { draft: { cases } })).toMatchObject({ status: 200 })
}

/** Keys of the sample's requirements that demand a test. */
async function demandedKeys(): Promise<string[]> {
  const all = await readRequirements()
  return all
    .filter(({ kind, status }) => kind !== 'REQUIREMENT_KIND_GROUP' && status !== 'REQUIREMENT_STATUS_DEPRECATED')
    .map(({ key }) => key)
}

test('the requirements of the sample that no report names are the gaps without a test', async () => {
  await using app = await startSampleApp()
  const { output } = await scan(app, { min_score: 0 })
  const reports = await Promise.all(sampleRuns.map((run) => readReport(run, Date.now())))
  const named = new Set(JSON.stringify(reports).match(/REQ-\d+/g))
  // A person linked the tests of the search to REQ-25 by hand.
  const untested = (await demandedKeys()).filter((key) => !named.has(key) && key !== 'REQ-25')
  const found = output.gaps.filter(({ type }) => type === 'GAP_TYPE_NO_TEST').map(readKey)
  expect(new Set(found)).toEqual(new Set(untested))
  expect(output.by_type.GAP_TYPE_NO_TEST).toBe(untested.length)
})

test('the first scan finds every listed gap, worst first, and says what to do about the worst', async () => {
  await using app = await startSampleApp()
  const { output, summary, events } = await scan(app)
  const listed = await app.api.listCoverageGaps({ product_id: app.productId, min_score: 20, page_size: 100 })
  expect(output.gaps.map(({ id, score }) => [id, score])).toEqual(
    listed.coverage_gaps.map(({ id, score }) => [id, score]),
  )
  expect(output.delta).toBeNull()
  const findings = events.filter(({ type }) => type === 'FINDING')
  expect(findings.map(({ data }) => data['key'])).toEqual(output.gaps.map(readKey))
  // 140 failed payments of production went through the code of REQ-16, which is critical and has no test.
  expect(summary).toMatch(/ Worst: REQ-16 \(score [\d.]+\)\. Next: write a test for REQ-16; get_test_context /)
})

test('a repeated scan of equal data has the same gaps and no change', async () => {
  await using app = await startSampleApp()
  const now = Date.now()
  const first = await scan(app, {}, { now })
  expect(await scan(app, {}, { now })).toEqual(first)
  const second = await scan(app, {}, { now, previous: first.output })
  expect(second.output).toMatchObject({ gaps: first.output.gaps, delta: { new: 0, gone: 0, changed: 0 } })
  expect(second.summary).toContain('Nothing has changed since the last scan.')
  expect(second.events.filter(({ type }) => type === 'FINDING')).toEqual([])
})

test.each([{ limit: 200 }, { limit: 1 }])(
  'the delta names what is new, gone and changed, with a limit of $limit',
  async (input) => {
    await using app = await startSampleApp()
    const first = await scan(app, { ...input, min_score: 0 })
    const requirements = `/v1/products/${app.productId}/requirements`
    const added = { title: 'Orders can be cancelled', status: 'APPROVED', priority: 'CRITICAL' }
    const { body } = await app.request<{ requirement: { key: string } }>('POST', requirements, added)
    const { key } = body.requirement
    await report(app, { '[REQ-16] passes now': 'passed', '[REQ-13] fails': 'failed', '[REQ-3] broke': 'failed' })
    const { output, summary, events } = await scan(app, { ...input, min_score: 0 }, { previous: first.output })

    expect(output.delta?.new_gaps.map((gap) => [gap.key, gap.type]).toSorted()).toEqual([
      ['REQ-3', 'GAP_TYPE_FAILING'],
      [key, 'GAP_TYPE_NO_TEST'],
    ])
    expect(output.delta?.gone_gaps).toMatchObject([{ key: 'REQ-16', type: 'GAP_TYPE_NO_TEST', outcome: 'closed' }])
    expect(output.delta?.changed_gaps).toMatchObject([
      { key: 'REQ-13', type: 'GAP_TYPE_FAILING', type_before: 'GAP_TYPE_NO_TEST' },
    ])
    expect(summary).toMatch(/Since the last scan: 1 gone, 1 changed, 2 new, the worst REQ-\d+\./)
    const found = events.flatMap((event) => (event.type === 'FINDING' ? [event.data['key']] : []))
    expect(found).toEqual(output.delta?.new_gaps.map((gap) => gap.key).slice(0, input.limit))
  },
)

test('a gap whose score fell below min_score is gone, and not closed', async () => {
  await using app = await startSampleApp()
  const now = Date.now()
  const first = await scan(app, { min_score: 30 }, { now })
  const [worst] = first.output.gaps
  // No error of the sample is in the window of a month later, and no result counts any more.
  const { output } = await scan(app, { min_score: 30 }, { now: now + 31 * dayMs, previous: first.output })
  expect(output.delta?.gone_gaps.length).toBeGreaterThan(0)
  expect(output.delta?.gone_gaps.filter(({ requirement_id: id }) => id !== '')).not.toContainEqual(
    expect.objectContaining({ outcome: 'closed' }),
  )
  expect(output.delta?.changed_gaps).toContainEqual(
    expect.objectContaining({ key: worst?.requirement?.key, score_before: worst?.score }),
  )
})

test('results that are too old by now leave gaps, though no request has renewed the stored coverage', async () => {
  await using app = await startSampleApp()
  const { output } = await scan(app, { min_score: 0, limit: 200 }, { now: Date.now() + 60 * dayMs })
  expect(output.by_type.GAP_TYPE_STALE).toBeGreaterThan(0)
  expect(output.total).toBeGreaterThanOrEqual((await demandedKeys()).length)
})

test('gaps that are too large for the output are listed by key, and the next scan knows them', async () => {
  await using app = await startApp()
  const code_refs = Array.from({ length: 200 }, (_, index) => ({ path: `src/${'long/'.repeat(98)}${index}.ts` }))
  for (const title of ['One', 'Two', 'Three', 'Four', 'Five', 'Six'])
    await app.request('POST', `/v1/products/${app.productId}/requirements`, { title, code_refs })
  const first = await scan(app, { min_score: 0 })
  expect(jsonBytes(first.output)).toBeLessThan(OUTPUT_BYTES)
  expect(first.output.total).toBe(6)
  expect([...first.output.gaps.map(readKey), ...first.output.unlisted.map(({ key }) => key)]).toEqual(
    [1, 2, 3, 4, 5, 6].map((number) => `REQ-${number}`),
  )
  expect(first.truncationSignals).toEqual([`gaps:max_bytes:${first.output.gaps.length}/6`])
  const second = await scan(app, { min_score: 0 }, { previous: first.output })
  expect(second.output.delta).toMatchObject({ new: 0, gone: 0, changed: 0 })
})

test('only results of the named environment count', async () => {
  await using app = await startSampleApp()
  // Every test of the sample ran on staging.
  const { output } = await scan(app, { environment: 'Production', min_score: 0 })
  expect(output.environment).toMatchObject({ title: 'production', known: true })
  expect(output.by_type.GAP_TYPE_FAILING).toBe(0)
  await expect(scan(app, { environment: 'nowhere' })).rejects.toThrow('nowhere')
})

test('scans with other settings are not compared', async () => {
  await using app = await startSampleApp()
  const first = await scan(app, { window: '1d' })
  const { output, events } = await scan(app, { window: '30d' }, { previous: first.output })
  expect(output.delta).toBeNull()
  expect(events.filter(({ type }) => type === 'WARNING')).toHaveLength(1)
})

const gaps = fc
  .uniqueArray(
    fc.record({
      number: fc.integer({ min: 1, max: 30 }),
      isFile: fc.boolean(),
      type: fc.constantFrom(...GapType.options),
      score: fc.integer({ min: 0, max: 1000 }).map((tenths) => tenths / 10),
    }),
    { selector: ({ number, isFile }) => `${number} ${isFile}` },
  )
  .map((list) =>
    list
      .map(({ number, isFile, ...gap }) => ({
        ...gap,
        gap_id: `${gap.type} ${number}`,
        requirement_id: isFile ? '' : `r${number}`,
        // Events name files: any path may read like the key of a requirement.
        key: `REQ-${number}`,
      }))
      .toSorted((left, right) => right.score - left.score),
  )

test('each gap of two scans is new, gone, or in both, whatever the order of the earlier one', () => {
  const settings = { window: '7d', environmentId: '', minScore: 20, floor: 0 } as const
  fc.assert(
    fc.property(gaps, gaps, (all, now) => {
      const before = all.filter(({ score }) => score >= 20)
      const delta = compareScans({ ...settings, gaps: before }, now, 20)
      const keys = (list: readonly { key: string; requirement_id: string }[]) =>
        new Set(list.map(({ key, requirement_id: id }) => `${id} ${key}`))
      const open = keys(now.filter(({ score }) => score >= 20))
      expect(keys(delta.new_gaps)).toEqual(open.difference(keys(before)))
      expect(keys(delta.gone_gaps)).toEqual(keys(before).difference(open))
      expect(keys(delta.changed_gaps).isSubsetOf(open.intersection(keys(before)))).toBe(true)
      const turned = compareScans({ ...settings, gaps: before.toReversed() }, now, 20)
      expect([turned.new, turned.gone, turned.changed]).toEqual([delta.new, delta.gone, delta.changed])
      expect(compareScans({ ...settings, gaps: before }, all, 20)).toMatchObject({ new: 0, gone: 0, changed: 0 })
    }),
  )
})
