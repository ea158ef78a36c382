import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { startApp, type App } from '../../../app.ts'
import { failedRuns } from '../reports/failed-runs.ts'
import { fixtureText, recordedReports } from '../reports/stated.ts'

interface File {
  name: string
  content: unknown
  content_encoding?: string
}
interface Ingest {
  cases: { name: string; file_path: string; status: string }[]
  summary: Record<string, number>
  warnings: { code: string; file: string }[]
}

const junit = (name: string, more = '') =>
  `<testsuites><testsuite name="s" file="${name}.ts"><testcase name="${name}" classname="s"/>${more}</testsuite></testsuites>`
const good: File = { name: 'reports/good.xml', content: junit('good') }

let runs = 0
async function send(app: App, files: readonly File[]): Promise<Ingest> {
  const path = `/v1/products/${app.productId}/tests:ingest`
  const body = { draft: { files }, run: { run_key: `run ${String((runs += 1))}` } }
  const reply = await app.request<{ ingest: Ingest }>('POST', path, body)
  expect(reply.status).toBe(200)
  return reply.body.ingest
}

const errors = ({ cases }: Ingest) =>
  cases.filter(({ status }) => status === 'RESULT_STATUS_ERROR').map(({ name, file_path }) => `${name} ${file_path}`)

async function activeTests(app: App): Promise<string[]> {
  const path = `/v1/products/${app.productId}/tests?kind=case&status=active`
  return (await app.request<{ tests: { title: string }[] }>('GET', path)).body.tests.map(({ title }) => title)
}

test.each(
  Object.values(failedRuns)
    .filter(({ name }) => !name.endsWith('.tap') && name !== 'go.json')
    .map(({ name, good: report }) => [name, report(['works', 'other', 'third'])] as const)
    .filter(([name], index, all) => all.findIndex(([other]) => other === name) === index),
)('%s that is cut off is an error of the run, beside a report that is whole', async (name, text) => {
  await using app = await startApp()
  for (const part of [0.5, 0.9]) {
    const answer = await send(app, [good, { name, content: text.slice(0, text.length * part) }])
    expect(errors(answer)).toEqual([`<unreadable report> ${name}`])
    expect(answer.summary).toMatchObject({ files: 1, passed: 1, errors: 1 })
    expect(answer.warnings).toMatchObject([{ file: name }])
  }
})

test('every recorded report of a runner that is cut off is an error of the run', async () => {
  await using app = await startApp()
  const cut = recordedReports()
    .filter((path) => /\.(?:xml|json|trx)$/u.test(path))
    .map((path) => ({ name: path, content: fixtureText(path).trimEnd().slice(0, -20) }))
  const answer = await send(app, [good, ...cut])
  const red = new Set(answer.warnings.map(({ file }) => file))
  expect(cut.filter(({ name }) => !red.has(name)).map(({ name }) => name)).toEqual([])
  expect(errors(answer).length).toBeGreaterThanOrEqual(cut.length)
})

test.each<[string, File]>([
  ['nothing', { name: 'junit.xml', content: '' }],
  ['nothing but a declaration', { name: 'junit.xml', content: '<?xml version="1.0" encoding="UTF-8"?>\n' }],
  ['UTF-16 that is cut off', { name: 'a.trx', content: '\ufffd\ufffd' + '<TestRun><Res'.split('').join('\0') + '\0' }],
  [
    'gzip that is cut off',
    {
      name: 'junit.xml',
      content: gzipSync(junit('x')).subarray(0, 40).toString('base64'),
      content_encoding: 'gzip+base64',
    },
  ],
  ['one line of go test that is cut off', { name: 'go.jsonl', content: '{"Time":"2026-01-01T00:00:00Z","Acti' }],
  ['a DOCTYPE before its suites', { name: 'junit.xml', content: '<!DOCTYPE a><testsuites></testsuites>' }],
  ['a member of the wrong type', { name: 'vitest.json', content: { reportFormat: 'CTRF', results: 7 } }],
])('a report with %s is an error of the run', async (_, file) => {
  await using app = await startApp()
  expect(errors(await send(app, [file, good]))).toEqual([`<unreadable report> ${file.name}`])
})

test.each<[string, File]>([
  ['text', { name: 'README.md', content: '# Reports\n\nHere are `<testsuites>` and {"testResults": 1}.\n' }],
  ['a picture', { name: 'shot.png', content: '\u0089PNG\r\n\u001a\n\0\0' }],
  ['nothing', { name: '.gitkeep', content: '' }],
  ['a coverage report', { name: 'coverage.xml', content: '<?xml version="1.0"?><coverage line-rate="1"></coverage>' }],
  ['a web page', { name: 'index.html', content: '<!DOCTYPE html><html><body>' }],
  ['other JSON', { name: 'package.json', content: '{"name":"shop","scripts":{"test":"vitest"}}' }],
  ['JSON with comments', { name: 'tsconfig.json', content: '{\n  // strict\n  "compilerOptions": {}\n}' }],
  ['a report without a test', { name: 'empty.xml', content: '<testsuites></testsuites>' }],
])('a file with %s beside the reports is only a warning', async (_, file) => {
  await using app = await startApp()
  const answer = await send(app, [good, file])
  expect(errors(answer)).toEqual([])
  expect(answer.warnings).toMatchObject([{ file: file.name }])
})

test('the error of a report is deprecated once the report of that name can be read, and only then', async () => {
  await using app = await startApp()
  const broken = { name: './reports/bad.xml', content: '<testsuites><testsuite name="s">' }
  await send(app, [good, broken])
  expect(await activeTests(app)).toEqual(['good', '<unreadable report>'])
  await send(app, [good])
  expect(await activeTests(app)).toEqual(['good', '<unreadable report>'])
  await send(app, [good, { name: 'reports/bad.xml', content: junit('bad') }])
  expect(await activeTests(app)).toEqual(['good', 'bad'])
})

test('what only the cut report can place is no longer verified by an earlier run', async () => {
  await using app = await startApp()
  const path = `/v1/products/${app.productId}/requirements`
  const made = await app.request<{ requirement: { id: string } }>('POST', path, { title: 'a rule' })
  const state = async () =>
    (
      await app.request<{ requirement: { coverage: { state: string } } }>(
        'GET',
        `/v1/requirements/${made.body.requirement.id}`,
      )
    ).body.requirement.coverage.state
  const bare = '<testsuites><testcase name="works [REQ-1]"/></testsuites>'
  await send(app, [good, { name: 'bare.xml', content: bare }])
  expect(await state()).toBe('verified')
  await send(app, [good, { name: 'bare.xml', content: bare.slice(0, -5) }])
  expect(await state()).toBe('not_run')
})

test('reports that are too large together are refused, not left out', async () => {
  await using app = await startApp()
  const bomb = gzipSync(Buffer.alloc(65 * 1024 * 1024, 32)).toString('base64')
  const files = [good, { name: 'large.xml', content: bomb, content_encoding: 'gzip+base64' }]
  const reply = await app.request('POST', `/v1/products/${app.productId}/tests:ingest`, { draft: { files } })
  expect(reply.status).toBe(413)
})
