import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { startApp, type App } from '../../../app.ts'
import { reasonOf, type Failure } from '../../people.ts'

interface Answer extends Failure {
  ingest: {
    format: string
    summary: { passed: number }
    run: { run_key: string; environment_id: string }
    cases: { file_path: string }[]
  }
}

const send = (app: App, body: unknown, query = '', headers: Record<string, string> = {}) =>
  app.request<Answer>('POST', `/v1/products/${app.productId}/tests:ingest${query}`, body, headers)

const junit = `<?xml version="1.0"?>
<testsuites><testsuite name="cart"><testcase name="adds up" classname="cart" file="/build/test/cart.test.ts" time="0.004"/></testsuite></testsuites>`

test('a report may be the body itself, with the run and the options in the query', async () => {
  await using app = await startApp()
  const query = '?run.environment=ci&run.run_key=build-7&options.root_dir=%2Fbuild'
  const xml = await send(app, junit, query, { 'content-type': 'application/xml' })
  expect(xml.body.ingest).toMatchObject({
    format: 'REPORT_FORMAT_JUNIT_XML',
    run: { run_key: 'build-7' },
    cases: [{ file_path: 'test/cart.test.ts' }],
  })
  expect(xml.body.ingest.run.environment_id).not.toBe('')
  const tap = await send(app, 'TAP version 13\n1..1\nok 1 - adds up\n', '', { 'content-type': 'text/x-tap' })
  expect(tap.body.ingest).toMatchObject({ format: 'REPORT_FORMAT_TAP', summary: { passed: 1 } })
})

const ctrf = {
  reportFormat: 'CTRF',
  specVersion: '0.0.0',
  results: {
    tool: { name: 'vitest' },
    summary: { tests: 1, passed: 1, failed: 0, skipped: 0, pending: 0, other: 0, start: 0, stop: 1 },
    tests: [{ name: 'adds up', status: 'passed', duration: 3 }],
  },
}

test('a JSON body without members of the request is the report; curl needs no content type', async () => {
  await using app = await startApp()
  const json = await send(app, ctrf)
  expect(json.body.ingest).toMatchObject({ format: 'REPORT_FORMAT_CTRF', summary: { passed: 1 } })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  expect((await send(app, junit, '', form)).status).toBe(200)
  const packed = { 'content-type': 'text/xml', 'content-encoding': 'gzip' }
  expect((await send(app, new Uint8Array(gzipSync(junit)), '', packed)).status).toBe(200)
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(junit, 'utf16le')])
  expect((await send(app, new Uint8Array(utf16), '', { 'content-type': 'text/xml' })).status).toBe(200)
})

test('a body of JSON lines is the report of go test, also with a byte order mark and the type of JSON', async () => {
  await using app = await startApp()
  const go = ['run', 'pass'].map((Action) => JSON.stringify({ Action, Package: 'shop/cart', Test: 'TestAddsUp' }))
  const text = `${[...go, '{"Action":"pass","Package":"shop/cart"}'].join('\n')}\n`
  for (const body of [text, `\ufeff${text}`]) {
    for (const type of ['application/json', 'application/x-ndjson', 'text/plain']) {
      const { body: answer } = await send(app, body, '', { 'content-type': type })
      expect(answer.ingest).toMatchObject({ format: 'REPORT_FORMAT_GO_JSON', summary: { passed: 1 } })
    }
  }
})

test('a JSON report may begin with a byte order mark', async () => {
  await using app = await startApp()
  const { body } = await send(app, `\ufeff${JSON.stringify(ctrf)}`)
  expect(body.ingest).toMatchObject({ format: 'REPORT_FORMAT_CTRF', summary: { passed: 1 } })
})

test('a body of JSON that is no object is refused as a report', async () => {
  await using app = await startApp()
  const cutOff = JSON.stringify(ctrf, null, 2).slice(0, -20)
  for (const [body, reason] of [
    [cutOff, 'REPORT_UNPARSABLE'],
    ['[{"name":"adds up"}]', 'FORMAT_UNKNOWN'],
  ] as const) {
    const refused = await send(app, body)
    expect([refused.status, reasonOf(refused)]).toEqual([400, reason])
  }
})

test('a query that names no member of the run is refused, and a body of a gigabyte is not unpacked', async () => {
  await using app = await startApp()
  expect((await send(app, junit, '?run.colour=blue')).status).toBe(400)
  const bomb = new Uint8Array(gzipSync(Buffer.alloc(200 * 1024 * 1024)))
  const refused = await send(app, bomb, '', { 'content-type': 'text/xml', 'content-encoding': 'gzip' })
  expect([refused.status, reasonOf(refused)]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
})

const laughs = `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol">${Array.from(
  { length: 9 },
  (_, level) => `<!ENTITY lol${String(level + 1)} "${`&lol${level === 0 ? '' : String(level)};`.repeat(10)}">`,
).join('')}]><testsuites><testsuite name="&lol9;"><testcase name="a"/></testsuite></testsuites>`

test.each([
  ['an entity bomb', laughs],
  ['elements ten thousand deep', `${'<testsuite name="a">'.repeat(10_000)}${'</testsuite>'.repeat(10_000)}`],
  [
    'suites ten thousand deep in JSON',
    `{"config":{},"suites":${'[{"suites":'.repeat(10_000)}[]${'}]'.repeat(10_000)}}`,
  ],
  ['bytes that are no text', Uint8Array.from({ length: 4096 }, (_, index) => (index * 7919) % 256)],
  ['a report that ends early', junit.slice(0, -40)],
  ['a page of an error', '<!doctype html><html><body>502</body></html>'],
])('%s gets a clear error, and nothing that was stored changes', async (_name, body) => {
  await using app = await startApp()
  await send(app, junit, '', { 'content-type': 'text/xml' })
  const stored = () =>
    app.db.batch(async (prepare) => {
      const rows: unknown[][] = []
      for (const table of ['test', 'test_run', 'test_result', 'test_link', 'environment', 'release'])
        rows.push(await prepare(`SELECT * FROM ${table} ORDER BY 1`).all())
      return rows
    })
  const before = await stored()
  const refused = await send(app, body, '?run.environment=evil', { 'content-type': 'text/xml' })
  expect(refused.status).toBe(400)
  expect(['REPORT_UNPARSABLE', 'FORMAT_UNKNOWN', 'FIELD_INVALID']).toContain(reasonOf(refused))
  expect(JSON.stringify(refused.body).length).toBeLessThan(1000)
  expect(await stored()).toEqual(before)
})
