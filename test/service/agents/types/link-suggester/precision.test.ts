import { expect, test } from 'vitest'
import type * as z from 'zod'
import type { linkSuggester } from '../../../../../src/service/agents/types/link-suggester/index.ts'
import { testNumber } from '../../../../../src/service/quality/keys.ts'
import { startApp, type App } from '../../../../app.ts'
import { startSampleApp } from '../../../../sample-app.ts'
import { runType } from '../../run-type.ts'
import { createClinic, createUnlinkedShop, linkName, type Truth } from './projects.ts'

type Output = z.input<typeof linkSuggester.output>

/** Precision and recall of the links that a run proposes at the default confidence. */
async function measure(app: App, truth: Truth) {
  const { output } = await runType(app, 'link_suggester', { limit: 500 })
  // `runType` has parsed it with the output schema of the type.
  const { proposals } = output as Output
  const tests = await app.db.read.selectFrom('test').select(['number', 'suite_path']).execute()
  const suites = new Map(tests.map(({ number, suite_path }) => [number, JSON.parse(suite_path) as string[]]))
  const proposed = proposals.map(({ requirement_key, test_key, test_title }) =>
    linkName(requirement_key, suites.get(testNumber(test_key)) ?? [], test_title),
  )
  const right = proposed.filter((link) => truth.has(link)).length
  return { precision: right / proposed.length, recall: right / truth.size }
}

test('of the links proposed in a project of 46 requirements and 205 tests, at least 9 in 10 are right', async () => {
  await using app = await startApp()
  const { precision, recall } = await measure(app, await createClinic(app))
  expect(precision).toBeGreaterThanOrEqual(0.9)
  expect(recall).toBeGreaterThan(0.8)
})

test('of the links proposed for the tests of the sample without their keys, at least 9 in 10 are right', async () => {
  await using app = await startApp()
  await using sample = await startSampleApp()
  const { precision, recall } = await measure(app, await createUnlinkedShop(app, sample))
  expect(precision).toBeGreaterThanOrEqual(0.9)
  expect(recall).toBeGreaterThan(0.5)
})
