import { expect, test } from 'vitest'
import { estimateTokens } from '../../../../src/service/agent-context/test/budget.ts'
import { filePattern } from '../../../../src/service/agent-context/test/conventions.ts'
import { startApp, type App } from '../../../app.ts'
import type { Failure } from '../../people.ts'

interface Context {
  requirement: { key: string }
  ancestors: { key: string }[]
  coverage: { state: string }
  gap: { type: string; rank: number } | null
  acceptance_criteria: { text: string; covered: boolean; covering_test_keys: string[] }[]
  linked_tests: { key: string }[]
  past_failures: { test_key: string; message: string }[]
  code_files: {
    path: string
    reason: string
    symbols: string[]
    excerpt: string
    recent_issues: { short_id: string }[]
  }[]
  similar_tests: { title: string; reasons: string[] }[]
  conventions: { dominant_framework: string; test_file_pattern: string; requirement_annotation: { style: string } }
  related_issues: { short_id: string; top_frames: string[] }[]
  suggestions: {
    target_file: string
    annotation: string
    cases: { title: string; technique: string; criterion_id: string }[]
  }
  guidance: string[]
  token_estimate: number
  truncation_signals: string[]
}
interface Prepared {
  test_generation_context: { contexts: Context[]; unresolved_globs: string[]; token_estimate: number }
}

const product = (app: App) => `/v1/products/${app.productId}`
const context = async (app: App, { id }: { id: string }, query = '') =>
  (await app.request<{ test_context: Context }>('GET', `${product(app)}/requirements/${id}/test-context${query}`)).body
    .test_context
const prepare = (app: App, body: object) =>
  app.request<Prepared & Failure>('POST', `${product(app)}/test-generation-context:prepare`, body)

async function require(app: App, more: object = {}) {
  const reply = await app.request<{ requirement: { id: string; acceptance_criteria: { id: string }[] } }>(
    'POST',
    `${product(app)}/requirements`,
    { title: 'The cart adds up the prices', ...more },
  )
  return reply.body.requirement
}
const ingest = (app: App, cases: object[]) => app.request('POST', `${product(app)}/tests:ingest`, { draft: { cases } })
const unit = (name: string, more: object = {}) => ({
  file_path: 'test/cart/total.test.ts',
  suite_path: ['cart'],
  name,
  status: 'passed',
  ...more,
})

const crash = {
  exception: {
    values: [
      {
        type: 'TypeError',
        value: 'total is undefined',
        stacktrace: {
          frames: [
            {
              function: 'addUp',
              filename: 'src/cart/total.ts',
              lineno: 12,
              colno: 3,
              in_app: true,
              pre_context: ['function addUp(lines) {'],
              context_line: '  return lines.total.value',
              post_context: ['}'],
            },
          ],
        },
      },
    ],
  },
}

test('a context combines criteria, tests, files with source, failures and open issues', async () => {
  await using app = await startApp()
  const group = await require(app, { title: 'Cart', kind: 'group' })
  const requirement = await require(app, {
    parent_id: group.id,
    acceptance_criteria: [{ text: 'adds at most 100 lines' }, { text: 'refuses a negative price' }],
    code_refs: [{ path: 'src/cart/total.ts', symbol: 'addUp' }],
  })
  await ingest(app, [
    unit('adds lines', { status: 'failed', message: 'expected 3, got 4' }),
    unit('rounds the cart prices'),
  ])
  const known = await app.request<{ tests: { id: string }[] }>('GET', `${product(app)}/tests?q=adds`)
  await app.request('POST', `/v1/tests/${known.body.tests[0]!.id}/links`, {
    requirement_id: requirement.id,
    criterion_ids: [requirement.acceptance_criteria[0]!.id],
  })
  await app.ingest(crash)

  expect(await context(app, requirement)).toMatchObject({
    requirement: { key: 'REQ-2' },
    ancestors: [{ key: 'REQ-1' }],
    coverage: { state: 'not_run' },
    gap: { type: 'GAP_TYPE_FAILING', rank: 1 },
    acceptance_criteria: [
      // Its test fails.
      { text: 'adds at most 100 lines', covered: false, covering_test_keys: ['TC-2'] },
      { text: 'refuses a negative price', covered: false, covering_test_keys: [] },
    ],
    linked_tests: [{ key: 'TC-2' }],
    past_failures: [{ test_key: 'TC-2', message: 'expected 3, got 4' }],
    code_files: [
      {
        path: 'src/cart/total.ts',
        reason: 'declared',
        symbols: ['addUp'],
        excerpt: '11  function addUp(lines) {\n12    return lines.total.value\n13  }',
        recent_issues: [{ short_id: 'APP-1' }],
      },
    ],
    similar_tests: [{ title: 'rounds the cart prices' }],
    related_issues: [{ short_id: 'APP-1', top_frames: ['addUp (src/cart/total.ts:12)'] }],
    suggestions: {
      target_file: 'test/cart/total.test.ts',
      // No case names a requirement yet, so nobody knows how.
      annotation: '',
      cases: [
        {
          technique: 'happy_path',
          title: 'refuses a negative price',
          criterion_id: requirement.acceptance_criteria[1]!.id,
        },
        { technique: 'negative', title: 'changes nothing: refuses a negative price' },
        { technique: 'regression', title: 'does not fail as in APP-1' },
      ],
    },
    truncation_signals: [],
  })
})

test('a regression is suggested for a crash in a file of the requirement, not for one that only passes through it', async () => {
  await using app = await startApp()
  const caller = await require(app, { code_refs: [{ path: 'src/cart/page.ts' }] })
  const crashing = await require(app, { code_refs: [{ path: 'src/lib/http.ts' }] })
  const frame = (filename: string) => ({ function: 'run', filename, lineno: 3, in_app: true })
  const frames = [frame('src/cart/page.ts'), frame('src/lib/http.ts')]
  await app.ingest({ exception: { values: [{ type: 'TypeError', value: 'fetch failed', stacktrace: { frames } }] } })
  const techniques = async (one: { id: string }) => {
    const { related_issues, suggestions } = await context(app, one)
    expect(related_issues).toMatchObject([{ short_id: 'APP-1' }])
    return suggestions.cases.map(({ technique }) => technique)
  }
  expect(await techniques(caller)).toEqual(['happy_path'])
  expect(await techniques(crashing)).toEqual(['happy_path', 'regression'])
})

test('a budget cuts excerpts first, then similar tests, failures and issues, each named', async () => {
  await using app = await startApp()
  const requirement = await require(app, { code_refs: [{ path: 'src/cart/total.ts' }] })
  await ingest(
    app,
    Array.from({ length: 12 }, (_, index) => unit(`adds prices of the cart ${String(index)}`)),
  )
  await app.ingest(crash)
  const whole = await context(app, requirement)
  const tight = await context(app, requirement, `?max_tokens=${String(whole.token_estimate - 60)}`)
  expect(tight.truncation_signals[0]).toBe('code_files.excerpt:token_budget:0/1')
  expect(tight.token_estimate).toBeLessThanOrEqual(whole.token_estimate - 60 + estimateTokens(tight.truncation_signals))
  const least = await context(app, requirement, '?max_tokens=500')
  expect(least.truncation_signals).toEqual([
    'code_files.excerpt:token_budget:0/1',
    'similar_tests:token_budget:0/5',
    'related_issues:token_budget:0/1',
  ])
  expect(least.requirement.key).toBe('REQ-1')
})

test('a prepared working tree resolves globs to files, and the answer lists globs without matches', async () => {
  await using app = await startApp()
  const requirement = await require(app, { code_refs: [{ path: 'src/cart/**/*.ts' }, { path: 'src/gone/**' }] })
  expect((await context(app, requirement)).code_files.map(({ path }) => path)).toEqual([
    'src/cart/**/*.ts',
    'src/gone/**',
  ])
  const prepared = await prepare(app, {
    top_gaps: 5,
    repository: {
      files: [
        { path: './src/cart/total.ts', exports: ['addUp'] },
        { path: 'src/cart/lines/line.ts' },
        { path: 'README.md' },
      ],
    },
  })
  const { contexts, unresolved_globs } = prepared.body.test_generation_context
  expect(contexts[0]!.code_files.map(({ path }) => path)).toEqual([
    'src/cart/lines/line.ts',
    'src/cart/total.ts',
    'src/gone/**',
  ])
  expect(unresolved_globs).toEqual(['src/gone/**'])
  // The paths are kept: later contexts know the files.
  expect((await context(app, requirement)).code_files.map(({ path }) => path)).toContain('src/cart/total.ts')
})

test('several contexts share one budget by the score of their gaps', async () => {
  await using app = await startApp()
  const critical = await require(app, { priority: 'critical' })
  const low = await require(app, { priority: 'low', risk: 'low' })
  const both = await prepare(app, { requirement_ids: [low.id, critical.id], max_tokens: 4000 })
  expect(both.body.test_generation_context.contexts.map(({ requirement }) => requirement.key)).toEqual([
    'REQ-2',
    'REQ-1',
  ])
  const gaps = await app.request<{ coverage_gaps: { id: string }[] }>('GET', `${product(app)}/coverage-gaps`)
  const byGap = await prepare(app, { gap_ids: [gaps.body.coverage_gaps[0]!.id] })
  expect(byGap.body.test_generation_context.contexts.map(({ requirement }) => requirement.key)).toEqual(['REQ-1'])
  expect((await prepare(app, {})).status).toBe(400)
  expect((await prepare(app, { gap_ids: ['nope'] })).status).toBe(404)
})

test.each([
  [
    'shop/loans.py',
    'with record_property("requirement", "REQ-1") in the test, run with pytest -o junit_family=xunit1;',
  ],
  ['shop/loans.go', 'with a subtest, t.Run("[REQ-1] …", …);'],
  ['shop/Loans.java', 'with @DisplayName("[REQ-1] …");'],
  ['shop/Loans.cs', 'with a category, such as [TestCategory("REQ-1")];'],
  ['shop/loans.ts', 'with [REQ-1] in the name of each case;'],
])('before any test names a requirement, one of %s does it as its runner can', async (file, how) => {
  await using app = await startApp()
  const requirement = await require(app, { code_refs: [{ path: file }] })
  const { guidance } = await context(app, requirement)
  expect(guidance).toContain(`name the requirement in the test, ${how} the report then links it`)
})

test('without files, the globs of the tests tell the language', async () => {
  await using app = await startApp()
  const repository = { url: '', test_globs: ['**/test_*.py'] }
  const { workspaces } = await app.api.listWorkspaces({})
  const created = await app.api.createProduct({ workspace_id: workspaces[0]?.id ?? '', name: 'Shelf', repository })
  const saved = await app.api.createRequirement({ product_id: created.product.id, title: 'Loans end' })
  const path = `/v1/products/${created.product.id}/requirements/${saved.requirement.id}/test-context`
  const { body } = await app.request<{ test_context: Context }>('GET', path)
  expect(body.test_context.guidance.join()).toContain('record_property("requirement", "REQ-1")')
})

test('a criterion is named by its number, because the requirement alone proves none', async () => {
  await using app = await startApp()
  const requirement = await require(app, { acceptance_criteria: [{ text: 'An empty cart costs nothing' }] })
  expect((await context(app, requirement)).guidance.join()).toContain(
    'with [REQ-1.1] in the name of each case (for its criterion 1; REQ-1 alone proves none);',
  )
})

test('conventions are derived from the existing tests', async () => {
  await using app = await startApp()
  const requirement = await require(app)
  const flat = (name: string) => unit(name, { file_path: `test/${name}.test.ts` })
  await ingest(app, [
    unit('adds up [REQ-1]'),
    unit('rounds [REQ-1.1]'),
    unit('[REQ-1] adds'),
    flat('pay'),
    flat('mail'),
  ])
  const { conventions, guidance, suggestions } = await context(app, requirement)
  expect(guidance).toContain(
    'name the requirement in the test, as 2 of 3 tests do: … [REQ-1]; the report then links it',
  )
  expect(suggestions.annotation).toBe('… [REQ-1]')
  expect(conventions).toMatchObject({
    test_file_pattern: 'test/<name>.test.ts',
    test_files: 3,
    test_files_alike: 2,
    suite_naming: '1 level',
    suite_naming_example: ['cart'],
    examples_known: false,
    requirement_annotation: { style: 'bracket', example: '… [REQ-12]', cases: 3, cases_alike: 2 },
  })
})

test.each([
  [['src/cart/total.test.ts', 'src/pay.test.ts'], '<dir>/<name>.test.ts'],
  [['tests/unit/test_cart.py', 'tests/unit/test_tax.py', 'tests/test_pay.py'], 'tests/<dir>/test_<name>.py'],
  [['test/cart.test.ts', 'test/pay.test.ts', 'test/web/page.test.ts'], 'test/<name>.test.ts'],
  // Neither is usual.
  [['test/cart.test.ts', 'test/web/page.test.ts'], ''],
  [['pkg/cart/cart_test.go'], '<dir>/<name>_test.go'],
  [['src/test/java/CartTest.java', 'src/test/java/PayTest.java'], '<dir>/<name>Test.java'],
  [['e2e/checkout.spec.ts'], 'e2e/<name>.spec.ts'],
  [['test/a.kanari', 'test/b.kanari'], 'test/<name>'],
  [[], ''],
])('tests in %j follow the pattern %j', (files, pattern) => {
  expect(filePattern(files).pattern).toBe(pattern)
})
