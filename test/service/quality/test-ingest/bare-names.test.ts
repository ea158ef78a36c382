import { expect, test } from 'vitest'
import { startApp, type App } from '../../../app.ts'

interface File {
  name?: string
  content: string
}
interface Case {
  name: string
  file_path: string
  status: string
  key: string
}

const ctrf = (ok: boolean) =>
  JSON.stringify({
    reportFormat: 'CTRF',
    results: { tool: { name: 'x' }, tests: [{ name: 'works [REQ-1]', status: ok ? 'passed' : 'failed', duration: 1 }] },
  })
const junit = (ok: boolean) =>
  `<testsuites><testcase name="works [REQ-1]">${ok ? '' : '<failure message="no"/>'}</testcase></testsuites>`
const trx = (ok: boolean) =>
  `<TestRun><Results><UnitTestResult testName="works [REQ-1]" outcome="${ok ? 'Passed' : 'Failed'}"/></Results></TestRun>`
const tap = (ok: boolean) => `1..1\n${ok ? 'ok' : 'not ok'} 1 - works [REQ-1]\n`

const formats = { CTRF: ctrf, JUnit: junit, TRX: trx, TAP: tap }

async function requirement(app: App): Promise<() => Promise<string>> {
  const path = `/v1/products/${app.productId}/requirements`
  const { id } = (await app.request<{ requirement: { id: string } }>('POST', path, { title: 'a rule' })).body
    .requirement
  return async () => {
    const { body } = await app.request<{ requirement: { coverage: { state: string; failing: boolean } } }>(
      'GET',
      `/v1/requirements/${id}`,
    )
    const { state, failing } = body.requirement.coverage
    return failing ? `${state} failing` : state
  }
}

let runs = 0
async function send(app: App, files: readonly File[], run_key = `run ${String((runs += 1))}`): Promise<Case[]> {
  const [only] = files
  const draft = files.length === 1 && only?.name === undefined ? { content: only!.content } : { files }
  const path = `/v1/products/${app.productId}/tests:ingest`
  const reply = await app.request<{ ingest: { cases: Case[] } }>('POST', path, { draft, run: { run_key } })
  expect(reply.status).toBe(200)
  return reply.body.ingest.cases
}

const short = (cases: readonly Case[]) =>
  cases.map(({ file_path, status }) => `${file_path} ${status.slice('RESULT_STATUS_'.length)}`)

test.each(Object.entries(formats))(
  '%s cases without a file and a suite are others in another report, in one call and in two',
  async (_, write) => {
    await using app = await startApp()
    const state = await requirement(app)
    const files = [
      { name: 'out/a.report', content: write(false) },
      { name: 'out/b.report', content: write(true) },
    ]
    const together = await send(app, files)
    expect(short(together)).toEqual(['out/a.report FAILED', 'out/b.report PASSED'])
    expect(await state()).toBe('not_run failing')
    const apart = [...(await send(app, [files[0]!], 'r')), ...(await send(app, [files[1]!], 'r'))]
    expect(apart.map(({ key }) => key)).toEqual(together.map(({ key }) => key))
    expect(await state()).toBe('not_run failing')
  },
)

test.each(Object.entries(formats))(
  'a %s case without a place keeps its history when its report gets a name',
  async (_, write) => {
    await using app = await startApp()
    const [first] = await send(app, [{ content: write(false) }])
    const [named] = await send(app, [{ name: './out/a.report', content: write(true) }])
    expect([named!.key, named!.file_path]).toEqual([first!.key, 'out/a.report'])
  },
)

test('the only test of node:test, which names its file where it fails, is the same test where it passes', async () => {
  await using app = await startApp()
  const state = await requirement(app)
  const written = (ok: boolean) =>
    `TAP version 13\n${ok ? 'ok' : 'not ok'} 1 - works [REQ-1]\n  ---\n  type: 'test'\n${ok ? '' : "  location: '/shop/cart.test.js:7:1'\n"}  ...\n1..1\n`
  const [red] = await send(app, [{ name: 'results.tap', content: written(false) }])
  const [green] = await send(app, [{ name: 'results.tap', content: written(true) }])
  expect(green!.key).toBe(red!.key)
  expect(await state()).toBe('verified')
})

test('a suite or a class is a place, whatever the name of the report', async () => {
  await using app = await startApp()
  const content = '<testsuites><testsuite name="cart"><testcase name="works"/></testsuite></testsuites>'
  const [first] = await send(app, [{ name: 'a.xml', content }])
  const [second] = await send(app, [{ name: 'b.xml', content }])
  expect([second!.key, second!.file_path]).toEqual([first!.key, ''])
})
