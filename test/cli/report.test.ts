import { gunzipSync } from 'node:zlib'
import { mkdirSync, mkdtempSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { ciFacts } from '../../src/cli/support/ci.ts'
import {
  digestReports,
  inRequests,
  MOST_SENT,
  MOST_TEXT,
  readReport,
  type ReadReport,
} from '../../src/cli/report/files.ts'
import type { Served } from '../serve.ts'
import { serveHere, temporaryFolder, tracegate } from './run.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())
const data = ['--data', join(folder.path, 'data')]
/** Whatever CI runs these tests, its own variables say nothing here. */
const noCi = { GITHUB_ACTIONS: '', GITLAB_CI: '' }

const report = (args: readonly string[], env: Record<string, string> = {}) =>
  tracegate(['report', ...args], { ...noCi, ...env })

/** A JUnit report as Vitest writes it: one file, cases by name with what is inside their element. */
function junit(cases: Readonly<Record<string, string>>, file = 'test/cart.test.ts'): string {
  const rows = Object.entries(cases).map(
    ([name, inside]) => `<testcase classname="${file}" name="${name}" time="0.012">${inside}</testcase>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="vitest tests"><testsuite name="${file}" tests="${String(rows.length)}">${rows.join('')}</testsuite></testsuites>`
}

const failure = '<failure message="expected 1 to be 2" type="AssertionError">at test/cart.test.ts:7</failure>'
const run = junit({
  'cart &gt; adds [REQ-1]': '',
  'cart &gt; removes [REQ-99]': failure,
  'cart &gt; empties': '<skipped/>',
})
const tap = 'TAP version 14\n1..1\nok 1 - the page opens\n'

function written(name: string, files: Readonly<Record<string, string | Buffer>>): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, name, path)), { recursive: true })
    writeFileSync(join(folder.path, name, path), content)
  }
  return join(folder.path, name)
}

/** A requirement in the served product, and every test of that product with its results. */
async function createRequirement(app: Served): Promise<void> {
  await app.rest('POST', `/v1/products/${app.endpoints.product_id}/requirements`, { title: 'The cart adds up' })
}

interface Results {
  test: {
    requirement_keys: string[]
    status: string
    automation_ref: { file_path: string }
    stats: { runs: number; flaky: number }
  }
  recent_results: {
    status: string
    run_id: string
    commit_sha: string
    git_branch: string
    ci_url: string
    environment: string
    release: string
  }[]
}

async function readTests(app: Served): Promise<Record<string, Results>> {
  const path = `/v1/products/${app.endpoints.product_id}/tests?kind=TEST_KIND_CASE`
  const { tests } = await app.rest<{ tests: { id: string; title: string }[] }>('GET', path)
  const read = await Promise.all(
    tests.map(async ({ id, title }) => [title, await app.rest<Results>('GET', `/v1/tests/${id}`)] as const),
  )
  return Object.fromEntries(read)
}

test('report prints the outcome of a folder of reports and its steps on stderr, and does not fail for a failed test', async () => {
  const reports = written('reports', { 'junit.xml': run, 'page.tap': tap, 'other.json': '{}', 'notes.txt': 'x' })
  const missing = join(folder.path, 'none.xml')
  const { code, stdout, stderr } = await report([reports, missing, '--environment', 'ci', ...data])
  expect(code).toBe(0)
  expect(stdout.replaceAll(/\S*tracegate-cli-\w+/g, 'FOLDER')).toMatchInlineSnapshot(`
    "Sent 2 reports to My product: 4 tests (2 passed, 1 failed, 1 skipped)
      cases: 4 created
      no such requirement: REQ-1 (1 test), REQ-99 (1 test)
      requirements: verified 0, not run 0, no test 0
      warning: FOLDER/none.xml does not exist
      warning: FOLDER/reports/other.json: the format of this report is unknown: it is JSON, but of no known reporter; send JUnit XML, TAP, TRX, CTRF, go test -json, or JSON of Vitest, Jest or Playwright
    "
  `)
  expect(stderr).toMatchInlineSnapshot(`
    "reading 1 kB
    sending 1 kB
    "
  `)
  const again = await report([reports, '--environment', 'ci', ...data])
  expect(again.stdout).toContain('\n  cases: 4 known\n  sent before, not counted again: 4 results\n')
})

test('a deployment takes the report with what the flags say of the run, and links by the tags', async () => {
  await using app = await serveHere()
  await createRequirement(app)
  const env = { TRACEGATE_BASE_URL: app.endpoints.rest, TRACEGATE_API_TOKEN: app.endpoints.token }
  const file = join(written('deployed', { 'junit.xml': run }), 'junit.xml')
  const plain = await report([file, '--no-requirement-tags'], env)
  expect(plain.stdout).toContain('\n  requirements: verified 0, not run 0, no test 1\n')
  const flags = [
    '--environment',
    'ci',
    '--release',
    '1.4.0',
    '--branch',
    'cart',
    '--commit',
    '0123abc',
    '--run-key',
    'k',
  ]
  const { code, stdout } = await report([file, ...flags, '--url', 'https://ci.example/7'], env)
  expect(code).toBe(0)
  expect(stdout).toContain('  linked to requirements: 1 new link\n  no such requirement: REQ-99 (1 test)\n')
  expect(stdout).toContain('\n  requirements: verified 0 -> 1, not run 0, no test 1 -> 0\n')
  const { 'adds [REQ-1]': linked } = await readTests(app)
  expect(linked?.test.requirement_keys).toEqual(['REQ-1'])
  expect(linked?.recent_results[0]).toMatchObject({
    environment: 'ci',
    release: '1.4.0',
    git_branch: 'cart',
    commit_sha: '0123abc',
    ci_url: 'https://ci.example/7',
  })
})

test('a service that refuses or is unreachable ends with exit code 1', async () => {
  await using app = await serveHere()
  const file = join(written('refused', { 'junit.xml': run }), 'junit.xml')
  const env = { TRACEGATE_BASE_URL: app.endpoints.rest, TRACEGATE_API_TOKEN: 'tg_no' }
  expect(await report([file], env)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/\ntracegate: GET .* returned 401[^\n]*\n$/) as string,
  })
  const nowhere = await report([file], { ...env, TRACEGATE_BASE_URL: 'http://127.0.0.1:9' })
  expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringMatching(/cannot be reached/) as string })
})

test.each<[string, Record<string, string>, RegExp]>([
  ['no file that exists', {}, /^tracegate: no report could be read: \S*none\.xml does not exist\n$/],
  [
    'a folder without reports',
    { 'a.txt': 'x' },
    /^tracegate: no report could be read: \S+ holds no \.xml, \.json, \.jsonl, \.tap or \.trx file\n$/,
  ],
  [
    'a file of no format',
    { 'none.xml': 'hello' },
    /\ntracegate: the service can use none of the reports: \S+ is not JUnit XML/,
  ],
  [
    'a broken file',
    { 'none.xml': '<testsuites>\n<testsuite' },
    /\ntracegate: the service can use none of the reports: \S+ cannot be read as JUNIT_XML/,
  ],
  [
    'a broken file of no format',
    { 'none.xml': '{"a":1,\n}' },
    /\ntracegate: the service can use none of the reports: \S+ cannot be read from line 2 on/,
  ],
  [
    'a report without tests',
    { 'none.xml': '<testsuites/>' },
    /\ntracegate: the service can use none of the reports: \S+ has no test\n/,
  ],
])('%s ends with exit code 1 and the reason', async (name, files, reason) => {
  const path = written(name.replaceAll(' ', '-'), files)
  const { code, stdout, stderr } = await report([name.includes('folder') ? path : join(path, 'none.xml'), ...data])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(reason)
})

test('a call without a file, or with a wrong flag, ends with exit code 2 and sends nothing', async () => {
  expect(await report(data)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^tracegate: report needs a file/) as string,
  })
  const wrong = await report(['a.xml', '--commit', 'HEAD', ...data])
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringMatching(/^tracegate: --commit: /) as string })
})

test('more files than one request takes are one run', async () => {
  await using app = await serveHere()
  const files = Array.from({ length: 1001 }, (_, index) => {
    const name = `test/${String(index)}.test.ts`
    return [`${String(index)}.xml`, junit({ 'it &gt; works': '' }, name)] as const
  })
  const many = written('many', Object.fromEntries(files))
  const { code, stdout } = await report([many, '--data', app.dataDir])
  expect({ code, first: stdout.split('\n')[0] }).toMatchObject({
    code: 0,
    first: 'Sent 1001 reports to My product: 1001 tests (1001 passed)',
  })
  const { tests } = await app.rest<{ tests: { last_result: { run_id: string } }[] }>(
    'GET',
    `/v1/products/${app.endpoints.product_id}/tests?kind=TEST_KIND_CASE&page_size=200&q=works`,
  )
  expect(new Set(tests.map(({ last_result: last }) => last.run_id)).size).toBe(1)
})

test('absolute paths lose the folder of --root', async () => {
  await using app = await serveHere()
  const file = join(
    written('rooted', { 'junit.xml': junit({ 'cart &gt; adds': '' }, '/app/test/cart.test.ts') }),
    'junit.xml',
  )
  await report([file, '--root', '/app', '--data', app.dataDir])
  const { adds } = await readTests(app)
  expect(adds?.test.automation_ref.file_path).toBe('test/cart.test.ts')
})

const github = {
  GITHUB_ACTIONS: 'true',
  GITHUB_SHA: '0123456789abcdef0123456789abcdef01234567',
  GITHUB_REF_NAME: 'main',
  GITHUB_REF_TYPE: 'branch',
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_REPOSITORY: 'shop/shop',
  GITHUB_RUN_ID: '77',
  GITHUB_RUN_ATTEMPT: '2',
}

test('on GitHub the run is known, and variants of the same tests do not become flaky', async () => {
  await using app = await serveHere()
  const passed = join(written('node-24', { 'junit.xml': junit({ 'cart &gt; adds': '' }) }), 'junit.xml')
  const failed = join(written('node-22', { 'junit.xml': junit({ 'cart &gt; adds': failure }) }), 'junit.xml')
  for (const file of [passed, failed]) await report([file, '--data', app.dataDir], github)
  const { adds } = await readTests(app)
  expect(adds?.test.stats).toMatchObject({ runs: 2, flaky: 0 })
  expect(adds?.recent_results[0]).toMatchObject({
    commit_sha: github.GITHUB_SHA,
    git_branch: 'main',
    ci_url: 'https://github.com/shop/shop/actions/runs/77',
  })
  for (const file of [failed, passed]) await report([file, '--run-key', 'one', '--data', app.dataDir], github)
  expect((await readTests(app))['adds']?.test.stats).toMatchObject({ runs: 3, flaky: 1 })
})

describe('what CI systems say', () => {
  test.each<[string, Record<string, string>, ReturnType<typeof ciFacts>]>([
    ['nothing elsewhere', { GITHUB_SHA: 'x', CI_COMMIT_SHA: 'y' }, {}],
    [
      'the branch of a pull request',
      { ...github, GITHUB_HEAD_REF: 'cart', GITHUB_REF_NAME: '7/merge' },
      { gitBranch: 'cart', job: 'github-77-2' },
    ],
    ['no branch of a tag', { ...github, GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: 'v1' }, { gitBranch: undefined }],
    [
      'no address without its parts',
      { GITHUB_ACTIONS: 'true', GITHUB_RUN_ID: '7' },
      { url: undefined, job: 'github-7-1' },
    ],
    [
      'GitLab',
      {
        GITLAB_CI: 'true',
        CI_COMMIT_SHA: 'abc',
        CI_COMMIT_BRANCH: 'main',
        CI_JOB_URL: 'https://gitlab.example/j/5',
        CI_JOB_ID: '5',
        CI_PIPELINE_ID: '3',
        CI_JOB_NAME: 'test 2/3',
        CI_NODE_INDEX: '2',
        CI_NODE_TOTAL: '3',
      },
      {
        commit: 'abc',
        gitBranch: 'main',
        url: 'https://gitlab.example/j/5',
        job: 'gitlab-5',
        shard: { index: 1, total: 3, run: 'gitlab-3-test' },
      },
    ],
    [
      'a merge request of GitLab',
      {
        GITLAB_CI: 'true',
        CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'cart',
        CI_PIPELINE_URL: 'https://gitlab.example/p/4',
        CI_NODE_TOTAL: '1',
      },
      { gitBranch: 'cart', url: 'https://gitlab.example/p/4', job: undefined, shard: undefined },
    ],
  ])('%s', (_, variables, facts) => {
    expect(ciFacts(variables)).toMatchObject(facts)
  })
})

describe('in a repository of several packages', () => {
  const source = 'the source of a test'
  const pytest = (inside: string) =>
    `<testsuites><testsuite name="pytest" tests="1"><testcase classname="tests.test_total.TestTotal" name="test_adds" time="0.1">${inside}</testcase></testsuite></testsuites>`
  const ofMaven = (ok: boolean) =>
    `<testsuite xsi:noNamespaceSchemaLocation="https://maven.apache.org/surefire/maven-surefire-plugin/xsd/surefire-test-report-3.0.xsd" name="shop.AppTest" tests="1"><testcase name="starts" classname="shop.AppTest" time="0.5">${ok ? '' : failure}</testcase></testsuite>`
  const ofGradle = (ok: boolean) =>
    `<testsuite name="shop.AppTest" tests="1" skipped="0" failures="0" errors="0" timestamp="2026-11-01T10:00:00" hostname="ci" time="0.5"><properties/><testcase name="starts()" classname="shop.AppTest" time="0.5">${ok ? '' : failure}</testcase></testsuite>`
  const places = async (app: Served) =>
    Object.values(await readTests(app)).map(({ test: { automation_ref: place } }) => place.file_path)

  test('tests with the same path in their package are two tests, and a failure of one is no attempt of the other', async () => {
    await using app = await serveHere()
    await createRequirement(app)
    const env = { TRACEGATE_BASE_URL: app.endpoints.rest, TRACEGATE_API_TOKEN: app.endpoints.token }
    const root = written('packages', {
      'a/test/cart.test.ts': source,
      'b/test/cart.test.ts': source,
      'a/reports/junit.xml': junit({ 'adds [REQ-1]': failure }),
      'b/reports/junit.xml': junit({ 'adds [REQ-1]': '' }),
    })
    const files = ['a', 'b'].map((name) => join(root, name, 'reports/junit.xml'))
    const { stdout } = await report([...files, '--root', root], env)
    expect(stdout).toContain('2 tests (1 passed, 1 failed)')
    expect(stdout).toContain('verified 0, not run 0 -> 1')
    const { tests } = await app.rest<{ tests: { automation_ref: { file_path: string } }[] }>(
      'GET',
      `/v1/products/${app.endpoints.product_id}/tests?kind=TEST_KIND_CASE`,
    )
    const paths = tests.map(({ automation_ref: place }) => place.file_path)
    expect(paths.toSorted()).toEqual(['a/test/cart.test.ts', 'b/test/cart.test.ts'])
  })

  test('a test of one package is not the renamed test of another whose report is sent by itself', async () => {
    await using app = await serveHere()
    await createRequirement(app)
    const env = { TRACEGATE_BASE_URL: app.endpoints.rest, TRACEGATE_API_TOKEN: app.endpoints.token }
    const root = written('apart', { 'test/cart.test.ts': source, 'b/test/cart.test.ts': source })
    const send = async (name: string, inside: string, file = 'test/cart.test.ts') => {
      const place = written(`apart/${name}`, { 'junit.xml': junit({ 'adds [REQ-1]': inside }, file) })
      return (await report([join(place, 'junit.xml'), '--root', root], env)).stdout
    }
    expect(await send('a', failure)).toContain('cases: 1 created')
    written('apart', { 'a/test/cart.test.ts': source })
    expect(await send('a', `${failure}<system-out/>`)).toContain('cases: 1 renamed')
    const other = await send('b', '')
    expect(other).toContain('cases: 1 created')
    expect(other).toContain('verified 0, not run 1')
    written('apart', { 'b/test/basket.test.ts': source })
    expect(await send('b', '<system-out/>', 'test/basket.test.ts')).toContain('cases: 1 renamed')
  })

  test('a test of one package is not the renamed test of another where a report without files is sent with it', async () => {
    await using app = await serveHere()
    const env = { TRACEGATE_BASE_URL: app.endpoints.rest, TRACEGATE_API_TOKEN: app.endpoints.token }
    const go = ['run', 'pass'].map((Action) => JSON.stringify({ Action, Package: 'shop/cart', Test: 'TestAdds' }))
    const root = written('beside', {
      'a/test/cart.test.ts': source,
      'b/test/cart.test.ts': source,
      'a/junit.xml': junit({ adds: failure }),
      'b/junit.xml': junit({ adds: '' }),
      'go.jsonl': `${go.join('\n')}\n{"Action":"pass","Package":"shop/cart"}\n`,
    })
    await report([join(root, 'a/junit.xml'), '--root', root], env)
    const { stdout } = await report([join(root, 'b/junit.xml'), join(root, 'go.jsonl'), '--root', root], env)
    expect(stdout).toContain('cases: 2 created')
  })

  test.each([
    ['at home', {}],
    ['in a job', { GITHUB_ACTIONS: 'true', GITHUB_RUN_ID: '7', GITHUB_JOB: 'test', GITHUB_RUN_ATTEMPT: '1' }],
  ])('reports of two packages that say the same are two runs %s', async (_, ci) => {
    await using app = await serveHere()
    const env = { TRACEGATE_BASE_URL: app.endpoints.rest, TRACEGATE_API_TOKEN: app.endpoints.token, ...ci }
    const root = written('equal', {
      'a/test/cart.test.ts': source,
      'b/test/cart.test.ts': source,
      'a/junit.xml': junit({ adds: '' }),
      'b/junit.xml': junit({ adds: '' }),
    })
    for (const name of ['a', 'b', 'a']) await report([join(root, name, 'junit.xml'), '--root', root], env)
    const path = `/v1/products/${app.endpoints.product_id}/tests?kind=TEST_KIND_CASE`
    const { tests } = await app.rest<{ tests: { id: string }[] }>('GET', path)
    const read = await Promise.all(tests.map(({ id }) => app.rest<Results>('GET', `/v1/tests/${id}`)))
    const runs = read.map(({ recent_results: results }) => results.map(({ run_id }) => run_id))
    expect(runs.map(({ length }) => length)).toEqual([1, 1])
    expect(new Set(runs.flat()).size).toBe(2)
  })

  test('reports in an output folder that is laid out as the repository are of their packages', async () => {
    await using app = await serveHere()
    const env = { TRACEGATE_BASE_URL: app.endpoints.rest, TRACEGATE_API_TOKEN: app.endpoints.token }
    const root = written('collected', {
      'packages/a/test/cart.test.ts': source,
      'packages/b/test/cart.test.ts': source,
      'dist/results/packages/a/junit.xml': junit({ adds: failure }),
      'dist/results/packages/b/junit.xml': junit({ adds: '' }),
      'services/a/pom.xml': '',
      'services/b/pom.xml': '',
      'dist/services/a/target/TEST-shop.AppTest.xml': ofMaven(false),
      'dist/services/b/target/TEST-shop.AppTest.xml': ofMaven(true),
    })
    const files = ['a', 'b'].flatMap((name) => [
      join(root, `dist/results/packages/${name}/junit.xml`),
      join(root, `dist/services/${name}/target/TEST-shop.AppTest.xml`),
    ])
    const { stdout } = await report([...files, '--root', root], env)
    expect(stdout).toContain('4 tests (2 passed, 2 failed)')
    const outside = written('artifact', { 'packages/a/junit.xml': junit({ adds: `${failure}<system-out/>` }) })
    const { stdout: known } = await report([join(outside, 'packages/a/junit.xml'), '--root', root], env)
    expect(known).toContain('cases: 1 known')
  })

  test('nor is it where reports name whole paths', async () => {
    await using app = await serveHere()
    const env = { TRACEGATE_BASE_URL: app.endpoints.rest, TRACEGATE_API_TOKEN: app.endpoints.token }
    const root = written('whole', { 'a/test/cart.test.ts': source, 'b/test/cart.test.ts': source })
    for (const name of ['a', 'b']) {
      const assertions = [
        { ancestorTitles: [], title: 'adds', fullName: 'adds', status: 'passed', failureMessages: [] },
      ]
      const results = [{ name: join(root, name, 'test/cart.test.ts'), status: 'passed', assertionResults: assertions }]
      const json = JSON.stringify({ numTotalTests: 1, success: true, testResults: results })
      const place = written(`whole/${name}`, { 'reports/jest.json': json })
      const { stdout } = await report([join(place, 'reports/jest.json'), '--root', root], env)
      expect(stdout).toContain('cases: 1 created')
    }
  })

  test.each<[string, string, string, (ok: boolean) => string]>([
    ['Maven', 'pom.xml', 'target/surefire-reports/TEST-shop.AppTest.xml', ofMaven],
    ['Gradle', 'build.gradle.kts', 'build/test-results/test/TEST-shop.AppTest.xml', ofGradle],
  ])(
    'tests of a class with the same name in two modules of %s are two tests, also those known before',
    async (name, module, file, write) => {
      await using app = await serveHere()
      const env = { TRACEGATE_BASE_URL: app.endpoints.rest, TRACEGATE_API_TOKEN: app.endpoints.token }
      const root = written(name, { [`a/${file}`]: `${write(false)}\n` })
      expect((await report([join(root, 'a', file), '--root', root], env)).stdout).toContain('cases: 1 created')
      for (const part of ['a', 'b']) written(join(name, part), { [module]: '', [file]: write(part === 'b') })
      const files = ['a', 'b'].map((part) => join(root, part, file))
      const { stdout } = await report([...files, '--root', root], env)
      expect(stdout).toContain('2 tests (1 passed, 1 failed)')
      expect(stdout).toMatch(/cases: 1 created, 1 (?:known|renamed)/)
      for (const one of files) expect((await report([one, '--root', root], env)).stdout).toContain('cases: 1 known')
    },
  )

  describe.each<
    [writer: string, file: string, write: (whole: string, ok: boolean) => string, config?: Record<string, string>]
  >([
    ...["'./e2e'", "path.join(__dirname, 'e2e')"].map(
      (testDir): [string, string, (whole: string, ok: boolean) => string, Record<string, string>] => [
        `JUnit of Playwright below testDir: ${testDir}`,
        'e2e/cart.spec.ts',
        (_, ok) =>
          `<testsuites id="" name="" tests="1" failures="0" skipped="0" errors="0" time="1">
<testsuite name="cart.spec.ts" timestamp="2026-11-01T10:00:00.000Z" hostname="chromium" tests="1" failures="0" skipped="0" time="0.5" errors="0">
<testcase name="cart › adds" classname="cart.spec.ts" time="0.5">${ok ? '' : failure}</testcase></testsuite></testsuites>`,
        { 'playwright.config.ts': `export default defineConfig({ testDir: ${testDir}, retries: 1 })` },
      ],
    ),
    [
      'JUnit of tests that print paths',
      'test/cart.test.ts',
      (_, ok) => {
        const printed = `<system-out><![CDATA[{ file: 'upload.png', location: "/assets/app.js" }]]></system-out>`
        const said = `<failure message="{ file: '/tmp/upload.png' }">{ file: 'invoice.pdf' }</failure>`
        return junit({ adds: ok ? printed : said })
      },
    ],
    [
      'JUnit of node:test, which names whole paths',
      'test/cart.test.mjs',
      (whole, ok) =>
        `<testsuites><!-- don't --><testcase name="a > b" time="0.1" classname="test" file="${whole}">${ok ? '' : failure}</testcase></testsuites>`,
    ],
    [
      'jest-junit, which names a suite by its file',
      'src/cart.test.js',
      (_, ok) =>
        `<testsuites name="jest tests"><testsuite name="src/cart.test.js" errors="0" failures="0" skipped="0" timestamp="2026-11-01T10:00:00" time="1" tests="1"><testcase classname="the cart" name="adds" time="0.1">${ok ? '' : failure}</testcase></testsuite></testsuites>`,
    ],
    [
      'TAP of Vitest, whose outermost subtests are files',
      'test/cart.test.ts',
      (_, ok) =>
        `TAP version 13\n1..1\n${ok ? '' : 'not '}ok 1 - test/cart.test.ts # time=7.23ms {\n    1..1\n    ${ok ? '' : 'not '}ok 1 - adds # time=0.28ms\n}\n`,
    ],
    [
      'CTRF with whole paths',
      'test/cart.test.js',
      (whole, ok) =>
        JSON.stringify({
          reportFormat: 'CTRF',
          results: {
            tool: { name: 'jest' },
            tests: [{ name: 'adds', status: ok ? 'passed' : 'failed', duration: 1, filePath: whole }],
          },
        }),
    ],
    [
      'a file with a space in its name',
      'test/the cart.test.ts',
      (_, ok) => junit({ adds: ok ? '' : failure }, 'test/the cart.test.ts'),
    ],
  ])('with %s', (_, file, write, config = {}) => {
    test.each([['together'], ['one by one']])(
      'tests of two packages are two tests where reports are sent %s',
      async (how) => {
        await using app = await serveHere()
        const env = { TRACEGATE_BASE_URL: app.endpoints.rest, TRACEGATE_API_TOKEN: app.endpoints.token }
        const root = mkdtempSync(join(folder.path, 'written-'))
        const inside = (path: string) => join(root, path)
        const files = Object.fromEntries(
          ['a', 'b'].flatMap((name) => [
            [`${name}/${file}`, source],
            ...Object.entries(config).map(([path, text]) => [`${name}/${path}`, text]),
            [`${name}/reports/out.report`, write(inside(`${name}/${file}`), name === 'b')],
          ]),
        )
        written(basename(root), files)
        const reports = ['a', 'b'].map((name) => inside(`${name}/reports/out.report`))
        for (const sent of how === 'together' ? [reports] : reports.map((one) => [one]))
          await report([...sent, '--root', root], env)
        const { tests } = await app.rest<{
          tests: { automation_ref: { file_path: string }; last_result: { status: string } }[]
        }>('GET', `/v1/products/${app.endpoints.product_id}/tests?kind=TEST_KIND_CASE`)
        const results = tests.map((one) => `${one.automation_ref.file_path} ${one.last_result.status}`)
        expect(results.toSorted()).toEqual([`a/${file} RESULT_STATUS_FAILED`, `b/${file} RESULT_STATUS_PASSED`])
      },
    )
  })

  const playwright = (root: string, errors: object[] = [], listsTests = true) =>
    JSON.stringify({
      config: { configFile: join(root, 'playwright.config.ts'), rootDir: join(root, 'e2e'), projects: [] },
      errors,
      suites: [
        {
          title: 'cart.spec.ts',
          file: 'cart.spec.ts',
          specs: [{ title: 'adds', file: 'cart.spec.ts', line: 1, tests: [{ status: 'expected', results: [] }] }],
        },
      ].slice(listsTests ? 0 : 1),
    })

  test.each([
    ['with the tests that it lists', true],
    ['without a test', false],
  ])(
    'a run of one package that failed outside of its tests, %s, is not ended by a run of another',
    async (_, lists) => {
      await using app = await serveHere()
      const env = { TRACEGATE_BASE_URL: app.endpoints.rest, TRACEGATE_API_TOKEN: app.endpoints.token }
      const name = `setups-${String(lists)}`
      const config = 'export default {}'
      const root = written(name, {
        'a/playwright.config.ts': config,
        'b/playwright.config.ts': config,
        'a/e2e/cart.spec.ts': source,
        'b/e2e/cart.spec.ts': source,
      })
      const send = async (part: string, errors: object[]) => {
        const json = playwright(join(root, part), errors, lists || errors.length === 0)
        const place = written(join(name, part), { 'results.json': json })
        await report([join(place, 'results.json'), '--root', root], env)
        const { '<run error>': failed } = await readTests(app)
        return failed?.test.status
      }
      expect(await send('a', [{ message: 'no database' }])).toBe('TEST_STATUS_ACTIVE')
      expect(await send('b', [])).toBe('TEST_STATUS_ACTIVE')
      expect(await send('a', [])).toBe('TEST_STATUS_DEPRECATED')
    },
  )

  test('specs of Playwright, which its report names relative to their folder, are of their package', async () => {
    await using app = await serveHere()
    const env = { TRACEGATE_BASE_URL: app.endpoints.rest, TRACEGATE_API_TOKEN: app.endpoints.token }
    const root = written('specs', { 'a/e2e/cart.spec.ts': source, 'b/e2e/cart.spec.ts': source })
    const files = ['a', 'b'].map((name) => {
      const inside = written(`specs/${name}`, { 'results.json': playwright(join(root, name)) })
      return join(inside, 'results.json')
    })
    const { stdout } = await report([...files, '--root', root], env)
    expect(stdout).toContain('cases: 2 created')
    const { tests } = await app.rest<{ tests: { automation_ref: { file_path: string } }[] }>(
      'GET',
      `/v1/products/${app.endpoints.product_id}/tests?kind=TEST_KIND_CASE`,
    )
    const paths = tests.map(({ automation_ref: place }) => place.file_path)
    expect(paths.toSorted()).toEqual(['a/e2e/cart.spec.ts', 'b/e2e/cart.spec.ts'])
  })

  test('cases of the package in whose folder the command runs are those of its own report, whatever it is called', async () => {
    await using app = await serveHere()
    const env = { TRACEGATE_BASE_URL: app.endpoints.rest, TRACEGATE_API_TOKEN: app.endpoints.token }
    const root = written('inside', {
      '.git/HEAD': '',
      'a/results.tap': tap.replace('ok 1', 'not ok 1'),
      'b/results.tap': tap,
    })
    const before = process.cwd()
    try {
      for (const name of ['a', 'b']) {
        process.chdir(join(root, name))
        expect((await report(['results.tap'], env)).stdout).toContain('cases: 1 created')
      }
      process.chdir(root)
      expect((await report(['a/results.tap'], env)).stdout).toContain('cases: 1 known')
    } finally {
      process.chdir(before)
    }
  })

  test.each(['/app', String.raw`D:\a\shop`])(
    'reports are of their packages where whole paths begin with %s on the machine of the tests',
    async (other) => {
      await using app = await serveHere()
      const env = { TRACEGATE_BASE_URL: app.endpoints.rest, TRACEGATE_API_TOKEN: app.endpoints.token }
      const name = `elsewhere-${String(other.length)}`
      const whole = `<testsuites><testcase name="pays" classname="test" file="${other}/test/pay.test.js"/></testsuites>`
      const root = written(name, {
        '.git/HEAD': '',
        'a/test/cart.test.ts': source,
        'b/test/cart.test.ts': source,
        'a/junit.xml': junit({ adds: failure }),
        'b/junit.xml': junit({ adds: '' }),
        'junit.xml': whole,
      })
      const before = process.cwd()
      try {
        process.chdir(root)
        for (const file of ['a/junit.xml', 'b/junit.xml', 'junit.xml'])
          expect((await report([file, '--root', other], env)).stdout).toContain('cases: 1 created')
      } finally {
        process.chdir(before)
      }
      expect(await places(app)).toContain('test/pay.test.js')
    },
  )

  test('a path that starts at the root stays, and so does one whose file is nowhere', async () => {
    await using app = await serveHere()
    const env = { TRACEGATE_BASE_URL: app.endpoints.rest, TRACEGATE_API_TOKEN: app.endpoints.token }
    const root = written('rooted', {
      'a/test/cart.test.ts': source,
      'a/junit.xml': junit({ adds: '' }, 'a/test/cart.test.ts'),
      'b/junit.xml': junit({ removes: '' }, 'test/gone.test.ts'),
    })
    await report([join(root, 'a/junit.xml'), join(root, 'b/junit.xml'), '--root', root], env)
    expect((await places(app)).toSorted()).toEqual(['a/test/cart.test.ts', 'test/gone.test.ts'])
  })

  test('the modules of pytest are files of their package', async () => {
    await using app = await serveHere()
    const env = { TRACEGATE_BASE_URL: app.endpoints.rest, TRACEGATE_API_TOKEN: app.endpoints.token }
    const root = written('python', { 'api/tests/test_total.py': source, 'api/junit.xml': pytest('') })
    await report([join(root, 'api/junit.xml'), '--root', root], env)
    expect(await places(app)).toEqual(['api/tests/test_total.py'])
  })
})

describe('reading', () => {
  async function read(name: string, content: string | Buffer): Promise<ReadReport> {
    const root = written('read', { [name]: content })
    const found = await readReport(join(root, name), root)
    if ('why' in found) throw new Error(found.why)
    return found
  }

  test('a large report is compressed and a small one is not', async () => {
    const text = junit(Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`case ${String(index)}`, ''])))
    const packed = await read('large.xml', text)
    expect(gunzipSync(Buffer.from(packed.content, 'base64')).toString()).toBe(text)
    expect(packed).toMatchObject({ content_encoding: 'gzip+base64', size: Buffer.byteLength(text) })
    expect(packed.sent).toBeLessThan(packed.size / 5)
    expect(await read('small.xml', run)).toMatchObject({ content: run, content_encoding: 'identity' })
  })

  test.each<[string, Buffer]>([
    ['UTF-8 with a mark', Buffer.from('\ufeff<a n="Grüße"/>')],
    ['UTF-16', Buffer.from('\ufeff<a n="Grüße"/>', 'utf16le')],
    ['big-endian UTF-16', Buffer.from('\ufeff<a n="Grüße"/>', 'utf16le').swap16()],
    ['Latin 1', Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a n="Grüße"/>', 'latin1')],
    [
      'UTF-8 with a mark, whose declaration another tool has left behind',
      Buffer.from('\uFEFF<?xml version="1.0" encoding="ISO-8859-1"?><a n="Grüße"/>'),
    ],
    ['UTF-8 that .NET declares as UTF-16', Buffer.from('<?xml version="1.0" encoding="utf-16"?><a n="Grüße"/>')],
    ['an unknown encoding', Buffer.from('<?xml version="1.0" encoding="x-none"?><a n="Grüße"/>')],
  ])('%s is read in its encoding', async (name, bytes) => {
    expect((await read(`${name}.xml`, bytes)).content).toMatch(/^(?:<\?xml[^>]*>)?<a n="Grüße"\/>$/)
  })

  test.each([
    ['a name that no file can have', `${'long '.repeat(55)}total.ok`],
    ['a character that no path can have', 'total\0.ok'],
  ])('a report with %s for a class is read', async (name, className) => {
    const content = `<testsuites><testsuite name="s"><testcase classname="${className}" name="adds"/></testsuite></testsuites>`
    expect(await read(`a/${name}.xml`, content)).toMatchObject({ content, folder: '' })
  })

  test('a large report in Latin 1 reaches the service with its letters', async () => {
    await using app = await serveHere()
    const env = { TRACEGATE_BASE_URL: app.endpoints.rest, TRACEGATE_API_TOKEN: app.endpoints.token }
    const text = junit({ grüßt: `<system-out>${'x'.repeat(20_000)}</system-out>` }).replace('UTF-8', 'ISO-8859-1')
    await report([join(written('latin', { 'junit.xml': Buffer.from(text, 'latin1') }), 'junit.xml')], env)
    expect(Object.keys(await readTests(app))).toEqual(['grüßt'])
  })

  test('a file that no request can hold is left out with the reason, unread', async () => {
    const file = join(written('huge', { 'huge.xml': '' }), 'huge.xml')
    truncateSync(file, 3 * 1024 ** 3)
    expect(await readReport(file, folder.path)).toMatchObject({ why: 'is too large (3221.2 MB): split it' })
  })

  const reports = fc.array(
    fc.record({
      size: fc.integer({ min: 1, max: MOST_TEXT }),
      sent: fc.integer({ min: 1, max: MOST_SENT }),
      digest: fc.string(),
    }),
    { maxLength: 60 },
  )

  test('requests keep the reports in order and within what the service takes', () => {
    fc.assert(
      fc.property(reports, (list) => {
        const all = list.map((one, index): ReadReport => ({
          ...one,
          name: String(index),
          folder: '',
          content: '',
          content_encoding: 'identity',
        }))
        const requests = inRequests(all)
        expect(requests.flat()).toEqual(all)
        for (const request of requests) {
          expect(request.length).toBeGreaterThan(0)
          expect(request.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(MOST_TEXT)
          expect(request.reduce((sum, { sent }) => sum + sent, 0)).toBeLessThanOrEqual(MOST_SENT)
        }
        expect(digestReports(all.toReversed())).toBe(digestReports(all))
      }),
    )
  })
})
