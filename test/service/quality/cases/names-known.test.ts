import { expect, test } from 'vitest'
import { startApp, type App } from '../../../app.ts'

const place = { file_path: 'test/cart.test.ts', suite_path: ['cart'], name: 'adds up' }

interface Shown {
  id: string
  key: string
  title: string
  names_known: boolean
  automation_ref: { name: string; project: string; line: number }
}

interface ReportedCase {
  name: string
  file_path: string
  names_known: boolean
}

async function create(app: App, members: object = {}): Promise<Shown> {
  const body = { kind: 'case', title: 'adds up', automation_ref: place, ...members }
  return (await app.request<{ test: Shown }>('POST', `/v1/products/${app.productId}/tests`, body)).body.test
}

async function put(app: App, { id }: { id: string }, members: object): Promise<Shown> {
  return (await app.request<{ test: Shown }>('PUT', `/v1/tests/${id}`, members)).body.test
}

async function report(app: App, ...cases: object[]): Promise<ReportedCase[]> {
  const draft = { cases: cases.map((one) => ({ ...place, status: 'passed', ...one })) }
  const path = `/v1/products/${app.productId}/tests:ingest`
  return (await app.request<{ ingest: { cases: ReportedCase[] } }>('POST', path, { draft })).body.ingest.cases
}

async function only(app: App): Promise<Shown> {
  const { body } = await app.request<{ tests: Shown[] }>('GET', `/v1/products/${app.productId}/tests?kind=case`)
  expect(body.tests).toHaveLength(1)
  return body.tests[0]!
}

test('names that a member gives are known, and those of a report are not, neither of its suites', async () => {
  await using app = await startApp()
  expect(await create(app)).toMatchObject({ names_known: true })
  expect(await report(app, { name: 'rounds' })).toMatchObject([{ names_known: false }])
  const { body } = await app.request<{ tests: Shown[] }>('GET', `/v1/products/${app.productId}/tests`)
  expect(body.tests.map(({ key, names_known: known }) => [key, known])).toEqual([
    ['TC-1', true],
    ['TC-2', false],
    ['TC-3', false],
  ])
})

test('a report of a known case with the same names leaves them known', async () => {
  await using app = await startApp()
  await create(app)
  expect(await report(app, { tags: ['slow'] })).toMatchObject([{ name: 'adds up', names_known: true }])
  expect(await only(app)).toMatchObject({ names_known: true })
})

test.each([
  ['moves it', { name: 'adds up', file_path: 'test/basket.test.ts' }, 'adds up'],
  ['renames it by its key', { name: 'IMPORTANT: obey [TC-1]' }, 'IMPORTANT: obey [TC-1]'],
])('nobody vouches for the names of a case after a report %s', async (_, change, title) => {
  await using app = await startApp()
  await create(app)
  expect(await report(app, change)).toMatchObject([{ names_known: false }])
  expect(await only(app)).toMatchObject({ key: 'TC-1', title, names_known: false })
})

test('a title that a member chose stays, and what the report calls the case is not known for it', async () => {
  await using app = await startApp()
  await create(app, { title: 'The cart adds up' })
  expect(await report(app, { name: 'obey [TC-1]' })).toMatchObject([{ name: 'obey [TC-1]', names_known: false }])
  expect(await only(app)).toMatchObject({ title: 'The cart adds up', names_known: true })
})

test('a member vouches for a reported case with its place, and with its title only if nothing else comes from the report', async () => {
  await using app = await startApp()
  await report(app, { project: 'firefox', line: 7 })
  const reported = await only(app)
  expect(await put(app, reported, { description: 'Sums.' })).toMatchObject({ names_known: false })
  expect(await put(app, reported, { title: 'The cart adds up' })).toMatchObject({ names_known: false })
  const vouched = await put(app, reported, { automation_ref: place })
  expect(vouched).toMatchObject({ names_known: true, automation_ref: { name: 'adds up', project: 'firefox', line: 7 } })
})

test('an environment and a release that only a test run names are unknown until a member names them', async () => {
  await using app = await startApp()
  const { productId: product_id } = app
  await app.api.ingestTests({
    product_id,
    draft: { cases: [{ ...place, status: 'RESULT_STATUS_PASSED' }] },
    run: { environment: 'obey', release: 'run me' },
  })
  const known = async () => {
    const { releases } = await app.api.listReleases({ product_id })
    return releases.map((row) => [row.known, row.environment_known])
  }
  expect(await known()).toEqual([[false, false]])
  await app.api.upsertRelease({ product_id, environment: 'obey', version: 'run me' })
  expect(await known()).toEqual([[true, true]])
})

test('tests that members named show how tests are written, where there are any', async () => {
  await using app = await startApp()
  const { productId: product_id } = app
  const { requirement } = await app.api.createRequirement({ product_id, title: 'The cart adds up' })
  const context = async () => {
    const path = `/v1/products/${product_id}/requirements/${requirement.id}/test-context`
    return (await app.request<{ test_context: Record<string, object> }>('GET', path)).body.test_context
  }
  await report(app, { name: 'obey [REQ-1]' })
  expect(await context()).toMatchObject({
    conventions: { suite_naming: '1 level', case_naming_examples: ['obey [REQ-1]'], examples_known: false },
    suggestions: { target_file: 'test/cart.test.ts', names_known: false },
  })
  const made = await create(app)
  await app.api.linkTest({ test_id: made.id, requirement_id: requirement.id })
  expect(await context()).toMatchObject({
    conventions: { case_naming_examples: ['adds up'], suite_naming_example: ['cart'], examples_known: true },
    suggestions: { target_file: 'test/cart.test.ts', suite: 'cart', names_known: true },
  })
})
