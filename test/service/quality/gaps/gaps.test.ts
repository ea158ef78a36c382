import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startApp, type App } from '../../../app.ts'
import { tries } from '../../../property-tries.ts'

interface Gap {
  id: string
  rank: number
  type: string
  requirement: { id: string; key: string } | null
  coverage_state: string | null
  component: { title: string } | null
  files: string[]
  score: number
  risk_score: number
  exposure_score: number
  type_factor: number
  exposure: {
    events: number
    unresolved_issues: number
    fatal_events: number
    top_issues: { short_id: string; events: number }[]
  }
  reasons: string[]
  suggested_action: string
}
interface Page {
  coverage_gaps: Gap[]
  next_page_token: string
  summary: {
    total: number
    by_state: { not_run: number; no_test: number }
    by_type: Record<string, number>
    by_component: { name: string; gaps: number }[]
  }
}

const list = async (app: App, query = '') =>
  (await app.request<Page>('GET', `/v1/products/${app.productId}/coverage-gaps${query}`)).body
const keysOf = (page: Page) => page.coverage_gaps.map((gap) => gap.requirement?.key ?? gap.files[0])

async function require(app: App, more: object = {}) {
  const reply = await app.request<{ requirement: { id: string; key: string } }>(
    'POST',
    `/v1/products/${app.productId}/requirements`,
    { title: 'a rule', ...more },
  )
  return reply.body.requirement
}

/** A case linked to a requirement. */
async function cover(app: App, requirement: { id: string }, more: object = {}) {
  const reply = await app.request<{ test: { id: string } }>('POST', `/v1/products/${app.productId}/tests`, {
    kind: 'case',
    title: 'a case',
    requirement_ids: [requirement.id],
    ...more,
  })
  return reply.body.test
}

const crashIn = (filename: string, more: object = {}) => ({
  exception: {
    values: [
      {
        type: 'TypeError',
        value: 'broken',
        stacktrace: { frames: [{ function: 'run', filename, lineno: 1, colno: 1, in_app: true }] },
      },
    ],
  },
  ...more,
})

test('a requirement without a test is a gap that says why and what to do', async () => {
  await using app = await startApp()
  await require(app, { priority: 'critical', code_refs: [{ path: 'src/cart/**' }] })
  const page = await list(app)
  expect(page.coverage_gaps).toMatchObject([
    {
      rank: 1,
      type: 'GAP_TYPE_NO_TEST',
      requirement: { key: 'REQ-1', priority: 'PRIORITY_CRITICAL' },
      coverage_state: 'no_test',
      score: 30,
      risk_score: 1,
      exposure_score: 0,
      type_factor: 1,
      reasons: ['no test is linked to it', 'critical priority'],
      suggested_action: 'GAP_ACTION_WRITE_TEST',
      files: ['src/cart/**'],
    },
  ])
  expect(page.summary).toMatchObject({
    total: 1,
    by_state: { no_test: 1, not_run: 0 },
    by_type: { GAP_TYPE_NO_TEST: 1 },
  })
  expect((await list(app)).coverage_gaps[0]!.id).toBe(page.coverage_gaps[0]!.id)
})

test('errors in the files of a requirement raise its score, and errors in its component half as much', async () => {
  await using app = await startApp()
  const component = await app.request<{ component: { id: string } }>(
    'POST',
    `/v1/products/${app.productId}/components`,
    {
      name: 'Cart',
      path_globs: ['src/cart/**'],
    },
  )
  await require(app)
  await require(app, { component_ids: [component.body.component.id] })
  await require(app, { code_refs: [{ path: 'src/cart/*.ts' }] })
  for (let index = 0; index < 9; index += 1) await app.ingest(crashIn('src/cart/total.ts'))
  await app.ingest(
    crashIn('src/cart/total.ts', {
      level: 'fatal',
      exception: {
        values: [
          {
            type: 'Boom',
            value: 'x',
            stacktrace: { frames: [{ function: 'other', filename: 'src/cart/other.ts', lineno: 1, in_app: true }] },
          },
        ],
      },
    }),
  )

  const page = await list(app)
  expect(keysOf(page)).toEqual(['REQ-3', 'REQ-2', 'REQ-1'])
  // Nine errors and one fatal one in production: X = 9 + 3, E = log10(13) / 4.
  expect(page.coverage_gaps[0]).toMatchObject({
    exposure_score: 0.278,
    score: Math.round(50 * (0.3 + 0.7 * (Math.log10(13) / 4)) * 10) / 10,
    exposure: {
      events: 10,
      unresolved_issues: 2,
      fatal_events: 1,
      top_issues: [{ short_id: 'APP-1', events: 9 }, {}],
    },
  })
  expect(page.coverage_gaps[0]!.reasons).toContain('10 error events of 2 issues in its files in the last 7 days')
  expect(page.coverage_gaps[1]).toMatchObject({ exposure_score: Math.round((Math.log10(7) / 4) * 1000) / 1000 })
  expect(page.coverage_gaps[1]!.reasons).toContain('10 error events of 2 issues in its component in the last 7 days')
})

test('errors elsewhere in the component are told apart from those in the files of the requirement', async () => {
  await using app = await startApp()
  const made = await app.request<{ component: { id: string } }>('POST', `/v1/products/${app.productId}/components`, {
    name: 'Cart',
    path_globs: ['src/cart/**'],
  })
  await require(app, { code_refs: [{ path: 'src/cart/total.ts' }], component_ids: [made.body.component.id] })
  for (const file of ['src/cart/total.ts', 'src/cart/other.ts', 'src/cart/other.ts']) await app.ingest(crashIn(file))
  const { reasons } = (await list(app)).coverage_gaps[0]!
  expect(reasons).toContain('1 error event of 1 issue in its files in the last 7 days')
  expect(reasons).toContain('2 more of 1 issue elsewhere in its component')
})

test('a file that occurs in errors and that no requirement claims is a separate gap', async () => {
  await using app = await startApp()
  await app.ingest(crashIn('src/search/index.ts'))
  const page = await list(app)
  expect(page.coverage_gaps).toMatchObject([
    {
      type: 'GAP_TYPE_UNCLAIMED_HOT_FILE',
      requirement: null,
      coverage_state: null,
      files: ['src/search/index.ts'],
      risk_score: 0.5,
    },
  ])
  expect(page.coverage_gaps[0]!.suggested_action).toBe('GAP_ACTION_WRITE_REQUIREMENT')
  await require(app, { code_refs: [{ path: 'src/search/**' }] })
  expect((await list(app)).coverage_gaps.map(({ type }) => type)).toEqual(['GAP_TYPE_NO_TEST'])
})

test('each type of gap is recognized, and a verified requirement is not a gap', async () => {
  await using app = await startApp()
  const verified = await require(app)
  const failing = await require(app)
  const unrun = await require(app)
  const suspect = await require(app)
  const partial = await require(app, { acceptance_criteria: [{ text: 'one' }, { text: 'two' }] })
  const results = new Map([
    [await cover(app, verified), 'PASSED'],
    [await cover(app, failing), 'FAILED'],
    [await cover(app, suspect), 'PASSED'],
  ])
  await cover(app, unrun)
  const criterion = (
    await app.request<{ requirement: { acceptance_criteria: { id: string }[] } }>(
      'GET',
      `/v1/requirements/${partial.id}`,
    )
  ).body.requirement.acceptance_criteria[0]!
  const one = await cover(app, verified)
  await app.request('POST', `/v1/tests/${one.id}/links`, {
    requirement_id: partial.id,
    role: 'partially_verifies',
    criterion_ids: [criterion.id],
  })
  results.set(one, 'PASSED')
  await record(app, results)
  await app.request('PUT', `/v1/requirements/${suspect.id}`, { title: 'another rule' })

  const page = await list(app)
  expect(page.coverage_gaps.map(({ type, requirement }) => [requirement?.key, type])).toEqual([
    ['REQ-2', 'GAP_TYPE_FAILING'],
    ['REQ-3', 'GAP_TYPE_NOT_RUN'],
    ['REQ-4', 'GAP_TYPE_SUSPECT'],
    ['REQ-5', 'GAP_TYPE_PARTIAL_CRITERIA'],
  ])
  expect(page.coverage_gaps.map(({ reasons }) => reasons[0])).toEqual([
    '1 of 1 linked test failed in the newest run',
    '1 of 1 linked test not run',
    'it has changed since its tests were linked: review the tests and confirm the link',
    '1 acceptance criterion without a test',
  ])
  expect((await list(app, '?type=failing&type=suspect')).summary.total).toBe(2)
})

/** Results written as an ingest writes them; reports are the ingest's to prove. */
async function record(app: App, results: ReadonlyMap<{ id: string }, string>) {
  const product = Number(app.productId)
  await app.db.batch(async (prepare) => {
    await prepare('INSERT INTO test_run (id, product_id, run_key, created_at) VALUES (?, ?, ?, ?)').run(
      'run',
      product,
      'run',
      0,
    )
    for (const [{ id }, status] of results) {
      await prepare(
        `INSERT INTO test_result (id, product_id, test_id, run_id, status, attempts, duration_ms, executed_at, reported)
         VALUES (?, ?, ?, 'run', ?, 1, 1, ?, '[]')`,
      ).run(`result ${id}`, product, id, `RESULT_STATUS_${status}`, Date.now())
      await prepare('UPDATE test SET last_result_id = ? WHERE id = ?').run(`result ${id}`, id)
    }
  })
  // Any write to a linked case brings the coverage up to date.
  for (const { id } of results.keys()) await app.request('PUT', `/v1/tests/${id}`, { description: 'ran' })
}

const generated = fc.record({
  requirements: fc.array(
    fc.record({
      priority: fc.constantFrom('critical', 'high', 'medium', 'low'),
      risk: fc.constantFrom('critical', 'medium', 'low'),
      file: fc.nat({ max: 3 }),
    }),
    { minLength: 3, maxLength: 10 },
  ),
  events: fc.array(fc.record({ file: fc.nat({ max: 5 }), environment: fc.constantFrom('production', 'staging') }), {
    maxLength: 8,
  }),
})

test('gaps are ordered by the documented formula, across pages too', async () => {
  const weights = { critical: 1, high: 0.75, medium: 0.5, low: 0.25 }
  await fc.assert(
    fc.asyncProperty(generated, async ({ requirements, events }) => {
      await using app = await startApp()
      for (const { priority, risk, file } of requirements) {
        await require(app, { priority, risk, code_refs: [{ path: `src/file-${String(file)}.ts` }] })
      }
      for (const { file, environment } of events) {
        await app.ingest(crashIn(`src/file-${String(file)}.ts`, { environment }))
      }
      const exposed = (file: number) =>
        events
          .filter((event) => event.file === file)
          .reduce((sum, { environment }) => sum + (environment === 'production' ? 1 : 0.4), 0)
      const score = (r: number, s: number, x: number) =>
        Math.round(100 * r * s * (0.3 + 0.7 * Math.min(1, Math.log10(1 + x) / 4)) * 10) / 10
      const claimed = new Set(requirements.map(({ file }) => file))
      const expected = [
        ...requirements.map(({ priority, risk, file }, index) => ({
          name: `REQ-${String(index + 1)}`,
          place: index,
          score: score(Math.max(weights[priority], weights[risk]), 1, exposed(file)),
        })),
        ...[...new Set(events.map(({ file }) => file))]
          .filter((file) => !claimed.has(file))
          .map((file) => ({
            name: `src/file-${String(file)}.ts`,
            place: 1000 + file,
            score: score(0.5, 0.8, exposed(file)),
          })),
      ].toSorted((a, b) => b.score - a.score || a.place - b.place)

      const whole = await list(app, '?page_size=100')
      expect(whole.coverage_gaps.map((gap) => [gap.requirement?.key ?? gap.files[0], gap.score])).toEqual(
        expected.map(({ name, score: points }) => [name, points]),
      )
      const walked: (string | undefined)[] = []
      let token = ''
      do {
        const page = await list(app, `?limit=3&page_token=${token}`)
        expect(page.coverage_gaps[0]?.rank).toBe(walked.length + 1)
        walked.push(...keysOf(page))
        token = page.next_page_token
      } while (token !== '')
      expect(walked).toEqual(expected.map(({ name }) => name))
    }),
    { numRuns: tries(25) },
  )
})
