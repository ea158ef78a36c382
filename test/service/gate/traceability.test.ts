import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { replyText } from '../../../src/contract/base/wire.ts'
import { asCsv } from '../../../src/service/gate/traceability/csv.ts'
import { asHtml } from '../../../src/service/gate/traceability/html.ts'
import { asMarkdown } from '../../../src/service/gate/traceability/markdown.ts'
import type { Matrix } from '../../../src/service/gate/traceability/model.ts'
import { origin, startApp, type App } from '../../app.ts'
import { reasonOf, workspaceId, type Failure } from '../people.ts'

/** A title that is a formula, markup and a script at once. */
const hostile = '=HYPERLINK("https://evil.example","x") <script>alert(1)</script> [a](b) | @admin'

interface Listed {
  traceability_matrix: Matrix
  next_page_token: string
  pagination: { total_size: number }
}

const path = (app: App, query = '') => `/v1/products/${app.productId}/quality-gate/traceability${query}`

/** Three requirements: one verified, one failing, one without a test; and a test without a requirement. */
async function start(): Promise<App> {
  const app = await startApp()
  for (const [title, priority] of [
    ['The cart adds up', 'HIGH'],
    [hostile, 'MEDIUM'],
    ['Orders are mailed', 'LOW'],
  ]) {
    const body = { title, priority, status: 'APPROVED', code_refs: [{ path: `src/${String(priority)}.ts` }] }
    await app.request('POST', `/v1/products/${app.productId}/requirements`, body)
  }
  const cases = [
    { file_path: 'test/cart.test.ts', suite_path: ['cart'], name: 'adds up [REQ-1]', status: 'PASSED' },
    { file_path: 'test/cart.test.ts', suite_path: ['cart'], name: `${hostile} [REQ-2]`, status: 'FAILED' },
    { file_path: 'test/other.test.ts', suite_path: [], name: 'stands alone', status: 'PASSED' },
  ]
  await app.request('POST', `/v1/products/${app.productId}/tests:ingest`, { draft: { cases } })
  return app
}

async function read(app: App, query = ''): Promise<Listed> {
  return (await app.request<Listed>('GET', path(app, query))).body
}

async function text(app: App, accept: string, query = ''): Promise<string> {
  const headers = { authorization: `Bearer ${app.token}`, accept }
  const reply = await app.service.direct({ method: 'GET', url: origin + path(app, query), headers })
  expect([reply.status, reply.headers['content-type']]).toEqual([200, `${accept}; charset=utf-8`])
  return replyText(reply)
}

let app: App
beforeAll(async () => {
  app = await start()
  return () => app.close()
})

test('a row has the requirement with its tests and their newest results, code and state', async () => {
  const { traceability_matrix: matrix } = await read(app)
  expect(
    matrix.rows.map(({ requirement, coverage_state: state, failing }) => [requirement.key, state, failing]),
  ).toEqual([
    ['REQ-1', 'verified', false],
    ['REQ-2', 'not_run', true],
    ['REQ-3', 'no_test', false],
  ])
  expect(matrix.rows[0]).toMatchObject({
    tests: [{ key: 'TC-2', link_state: 'LINK_STATE_ACTIVE', last_result: { status: 'RESULT_STATUS_PASSED' } }],
    code: [{ path: 'src/HIGH.ts' }],
  })
  expect(matrix.totals).toEqual({
    requirements: 3,
    verified: 1,
    not_run: 1,
    no_test: 1,
    failing: 1,
    suspect: 0,
    tests: 3,
    linked_tests: 2,
    unlinked_tests: 1,
  })
  expect(matrix.orphans).toMatchObject({
    tests_without_requirement: [{ title: 'stands alone' }],
    requirements_without_test: [{ key: 'REQ-3' }],
  })
})

test('a grid has a cell for each linked test of a requirement', async () => {
  const { traceability_matrix: matrix } = await read(app, '?view=grid')
  expect(matrix.grid?.cells).toEqual([
    [0, 0, 'passed'],
    [1, 1, 'failed'],
  ])
})

test('filters show holes, failing and suspect requirements and say so, and totals stay those of the whole', async () => {
  const keys = async (query: string) =>
    (await read(app, query)).traceability_matrix.rows.map((row) => row.requirement.key)
  expect(await keys('?filter=holes')).toEqual(['REQ-2', 'REQ-3'])
  expect(await keys('?filter=failing')).toEqual(['REQ-2'])
  expect(await keys('?filter=suspect')).toEqual([])
  expect(await keys('?coverage_state=no_test')).toEqual(['REQ-3'])
  const { traceability_matrix: failing } = await read(app, '?filter=failing')
  expect([failing.filter, failing.totals.requirements]).toEqual([['failing'], 3])
})

test('the parts of a row that are not named are empty, and a name that no part has is refused', async () => {
  await using app = await start()
  const parts = async (include: string) => {
    const [row] = (await read(app, `?include=${include}`)).traceability_matrix.rows
    return [row!.tests.length, row!.code.length]
  }
  expect([await parts(''), await parts('tests,code,issues'), await parts('Tests')]).toEqual([
    [1, 1],
    [1, 1],
    [1, 0],
  ])
  expect(await parts('issues, code')).toEqual([0, 1])
  for (const include of ['foo', 'tests,foo', 'tests;code', 'tests,', '%20']) {
    const reply = await app.request<Failure>('GET', path(app, `?include=${include}`))
    expect([include, reply.status, reasonOf(reply)]).toEqual([include, 400, 'FIELD_INVALID'])
    expect(reply.body.message).toBe('include must be a comma-separated list of tests, code, issues')
  }
})

test('a requirement that demands no test is no hole', async () => {
  const created = await app.request<{ requirement: { id: string } }>(
    'POST',
    `/v1/products/${app.productId}/requirements`,
    {
      title: 'Background',
      normative: false,
      rationale: 'explains the others',
    },
  )
  const { traceability_matrix: matrix } = await read(app, '?filter=holes')
  expect(matrix.rows.map(({ requirement }) => requirement.key)).toEqual(['REQ-2', 'REQ-3'])
  await app.request('DELETE', `/v1/requirements/${created.body.requirement.id}`)
})

test('a requirement shows only what is below it, and one of another product or a deleted one nothing', async () => {
  const created = async (product_id: string, title: string, more: object = {}) =>
    (await app.api.createRequirement({ product_id, title, ...more })).requirement.id
  const parent = await created(app.productId, 'Cart', { kind: 'REQUIREMENT_KIND_GROUP' })
  const child = await created(app.productId, 'Discounts', { parent_id: parent })
  const { traceability_matrix: matrix } = await read(app, `?requirement_id=${parent}`)
  expect(matrix.rows.map(({ requirement }) => requirement.id)).toEqual([child])
  const { product } = await app.api.createProduct({ workspace_id: await workspaceId(app), name: 'Other' })
  const foreign = await created(product.id, 'Foreign')
  await app.request('DELETE', `/v1/requirements/${parent}?recursive=true`)
  for (const id of [foreign, child]) {
    expect((await read(app, `?requirement_id=${id}`)).traceability_matrix.rows).toEqual([])
  }
})

test('pages have every row once', async () => {
  const keys: string[] = []
  let token = ''
  do {
    const page = await read(app, `?page_size=2${token === '' ? '' : `&page_token=${token}`}`)
    expect(page.pagination.total_size).toBe(3)
    keys.push(...page.traceability_matrix.rows.map(({ requirement }) => requirement.key))
    token = page.next_page_token
  } while (token !== '')
  expect(keys).toEqual(['REQ-1', 'REQ-2', 'REQ-3'])
})

describe('formats', () => {
  const accepts = ['text/csv', 'text/markdown', 'text/html', 'application/vnd.needs+json']

  test.each(accepts)('%s is the same bytes again, and the parameter asks for it too', async (accept) => {
    const first = await text(app, accept)
    expect(await text(app, accept)).toBe(first)
    const format = { 'text/csv': 'csv', 'text/markdown': 'markdown', 'text/html': 'html' }[accept] ?? 'needs'
    const headers = { authorization: `Bearer ${app.token}` }
    const asked = await app.service.direct({ method: 'GET', url: origin + path(app, `?format=${format}`), headers })
    expect(asked.body).toBe(first)
  })

  test('all say scope, filter, verdict, version and digest, and agree on every count', async () => {
    const { traceability_matrix: matrix } = await read(app, '?filter=holes')
    const facts = {
      scope: 'everything',
      filter: 'holes',
      verdict: 'not computed',
      shown: '2 of 3 requirements',
      ...Object.fromEntries(Object.entries(matrix.totals).map(([name, count]) => [name, String(count)])),
      version: matrix.version,
      digest: matrix.digest,
    }
    const lines = Object.entries(facts).map(([name, value]) => `${name}: ${value}`)
    const [csv, markdown, html, needs] = await Promise.all(accepts.map((accept) => text(app, accept, '?filter=holes')))
    const records = parse(csv ?? '', { relax_column_count: true })
    expect(records[0]).toEqual(expect.arrayContaining(lines))
    expect(records.slice(2).map((record) => record[0])).toEqual(['REQ-2', 'REQ-3'])
    for (const [name, value] of Object.entries(facts)) {
      expect(markdown).toContain(`- ${name.replaceAll('_', ' ')}: ${value}`)
      expect(html).toContain(`<dt>${name}</dt><dd>${value}</dd>`)
    }
    const parsed = JSON.parse(needs ?? '') as {
      versions: { '1': { needs: object; needs_amount: number; tracegate: object } }
    }
    expect(parsed.versions['1'].tracegate).toMatchObject(facts)
    expect(Object.keys(parsed.versions['1'].needs)).toEqual(['REQ-2', 'REQ-3', 'TC-3'])
  })

  test('a need links only to needs of the file: not to a group, and not to a parent that the filter leaves out', async () => {
    const product_id = app.productId
    const made = async (title: string, more: object) =>
      (await app.api.createRequirement({ product_id, title, ...more })).requirement.id
    const group = await made('Shop', { kind: 'REQUIREMENT_KIND_GROUP' })
    const parent = await made('Pay', { parent_id: group, normative: false, rationale: 'explains' })
    const child = await made('Pay by card', { parent_id: parent })
    const links = async (query: string) => {
      const file = JSON.parse(await text(app, 'application/vnd.needs+json', query)) as {
        versions: { '1': { needs: Record<string, { title: string; links: string[] }> } }
      }
      const needs = Object.values(file.versions['1'].needs)
      return needs.filter(({ title }) => title.startsWith('Pay')).map((need) => [need.title, need.links.length])
    }
    expect(await links('')).toEqual([
      ['Pay', 0],
      ['Pay by card', 1],
    ])
    expect(await links('?filter=holes')).toEqual([['Pay by card', 0]])
    for (const id of [child, parent, group]) await app.request('DELETE', `/v1/requirements/${id}`)
  })

  test('the digest is that of the JSON of its content', async () => {
    const { version, digest, scope, filter, rows, orphans, totals } = (await read(app)).traceability_matrix
    const content = JSON.stringify([Number(app.productId), version, { scope, filter, rows, orphans, totals }])
    expect(digest).toBe(createHash('sha256').update(content).digest('hex'))
  })

  test('the digest changes with the facts and with nothing else', async () => {
    const digest = async () => (await read(app)).traceability_matrix.digest
    const before = await digest()
    expect(await digest()).toBe(before)
    const { body } = await app.request<{ requirement: { id: string } }>(
      'POST',
      `/v1/products/${app.productId}/requirements`,
      {
        title: 'Another',
      },
    )
    expect(await digest()).not.toBe(before)
    await app.request('DELETE', `/v1/requirements/${body.requirement.id}`)
    expect(await digest()).toBe(before)
  })

  test('titles of outsiders are text in Markdown and HTML', async () => {
    const markdown = await text(app, 'text/markdown')
    expect(markdown).toContain('\\[a\\]\\(b\\) \\| &#64;admin')
    expect(markdown).not.toMatch(/<script|https:\/\//)
    const html = await text(app, 'text/html')
    expect(html).toContain('&lt;script>alert(1)&lt;/script>')
    expect(html).not.toContain('<script')
  })
})

describe('CSV', () => {
  /** The matrix with the title of its only row. */
  async function titled(title: string): Promise<Matrix> {
    const { traceability_matrix: matrix } = await read(app)
    const [row] = matrix.rows
    return { ...matrix, rows: [{ ...row!, requirement: { ...row!.requirement, title } }] }
  }

  test('no cell begins like a formula, whatever a title begins with, and the rest of the title stays', async () => {
    const matrix = await titled('')
    const [row] = matrix.rows
    const starts = fc.constantFrom('=', '+', '-', '@', '\t=', ' =', '\r@', '＝', '\n+', 'plain')
    fc.assert(
      fc.property(starts, fc.string({ maxLength: 20 }), (start, rest) => {
        const made = { ...matrix, rows: [{ ...row!, requirement: { ...row!.requirement, title: start + rest } }] }
        const [, , record] = parse(asCsv(made, 'Shop'), { relax_column_count: true })
        expect(record?.[1]?.replaceAll("'", '')).toBe((start + rest).replaceAll("'", ''))
        expect(record?.[1]).not.toMatch(/^[\s]*[=+\-@＝＋－＠]/)
      }),
    )
  })

  test('a cell has no formula in it either where semicolons, tabs or lines separate cells to the reader', async () => {
    const formula = fc.constantFrom('=1+1', '"=1+1', ' =1+1', '+1', '-1', '@sum', '＝1')
    const { rows, ...matrix } = await titled('')
    fc.assert(
      fc.property(fc.constantFrom(';', '\t', '\n', '\r\n'), formula, (separator, hidden) => {
        const title = `x${separator}${hidden};y`
        const made = { ...matrix, rows: rows.map((row) => ({ ...row, requirement: { ...row.requirement, title } })) }
        const csv = asCsv(made, 'Shop')
        const shown = parse(csv, { relax_column_count: true })[2]?.[1]
        expect(shown?.replaceAll("'", '')).toBe(title)
        // A quote within what is a cell to the reader does not begin a quoted one.
        for (const cell of csv.split(/[;\t\r\n]+/)) expect(cell).not.toMatch(/^[\s"]*[=+\-@＝＋－＠]/)
      }),
    )
    expect(asCsv(await titled('a;b'), 'Shop')).toContain('"a;b"')
    expect(asCsv(await titled('a\tb'), 'Shop')).toContain('"a\tb"')
  })

  const office = spawnSync('soffice', ['--version'], { encoding: 'utf8' })
  if (office.status !== 0)
    console.log('skipped: LibreOffice (soffice) is not installed, so no spreadsheet opens the CSV')

  test.skipIf(office.status !== 0)('LibreOffice opens it and calculates nothing', { timeout: 120_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tracegate-csv-'))
    try {
      writeFileSync(join(folder, 'matrix.csv'), asCsv(await titled('=1+41'), 'Shop'))
      const args = [
        `-env:UserInstallation=file://${folder}/profile`,
        '--headless',
        '--convert-to',
        'ods',
        '--outdir',
        folder,
      ]
      spawnSync('soffice', [...args, join(folder, 'matrix.csv')], { timeout: 100_000 })
      const flat = ['--headless', '--convert-to', 'fods', '--outdir', folder, join(folder, 'matrix.ods')]
      spawnSync('soffice', [`-env:UserInstallation=file://${folder}/profile`, ...flat], { timeout: 100_000 })
      const sheet = readFileSync(join(folder, 'matrix.fods'), 'utf8')
      expect(sheet).toContain('=1+41')
      expect(sheet).not.toContain('table:formula')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

test('a long product name and an empty matrix make whole documents', async () => {
  const { traceability_matrix: matrix } = await read(app)
  const empty = { ...matrix, rows: [] }
  expect(asMarkdown(empty, 'S | hop')).toContain('- product: S \\| hop')
  expect(asHtml(empty, 'S<hop')).toContain('<dd>S&lt;hop</dd>')
})
