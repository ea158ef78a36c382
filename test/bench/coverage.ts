import type { Api } from '../../src/client/api.ts'
import { refreshCoverage } from '../../src/service/quality/coverage/refresh.ts'
import { startApp, type App } from '../app.ts'
import { inTurn } from './median.ts'

const ROUNDS = 15
/** Requirements that are claimed by an issue of the last days. */
const ISSUES = 60

/** Pages of gaps, requirements and tests of a large product beside those of a small one, read through the client. */
export async function coverage(): Promise<void> {
  await using small = await product({ requirements: 1_000, tests: 10_000 })
  await using large = await product({ requirements: 10_000, tests: 100_000 })
  const pages = {
    'gap page': (api: Api, id: string) => api.listCoverageGaps({ product_id: id, page_size: 15 }),
    'requirements page': (api: Api, id: string) => api.listRequirements({ product_id: id, page_size: 50 }),
    'requirements search': (api: Api, id: string) =>
      api.listRequirements({ product_id: id, q: 'refund 7', page_size: 50 }),
    'tests page': (api: Api, id: string) => api.listTests({ product_id: id, page_size: 50 }),
    'test context': (api: Api, id: string, requirement: string) =>
      api.getTestContext({ product_id: id, requirement_id: requirement }),
    'report of 100 cases': (api: Api, id: string) =>
      api.ingestTests({ product_id: id, draft: { cases: freshCases() }, run: { run_key: crypto.randomUUID() } }),
  }
  for (const [name, page] of Object.entries(pages)) {
    const taken = await inTurn({ small: timed(small, page), large: timed(large, page) }, ROUNDS)
    const ratio = taken.large / taken.small
    console.log(
      `  ${name.padEnd(20)} 1,000/10,000: ${taken.small.toFixed(1).padStart(6)} ms   10,000/100,000: ${taken.large.toFixed(1).padStart(6)} ms   × ${ratio.toFixed(2)}`,
    )
  }
}

type Page = (api: Api, id: string, requirement: string) => Promise<unknown>

function timed(app: App, page: Page) {
  return async () => {
    const start = performance.now()
    await page(app.api, app.productId, 'requirement-7')
    return performance.now() - start
  }
}

function freshCases() {
  return Array.from({ length: 100 }, (_, index) => ({
    file_path: `test/part-${String(index % 10)}/file.test.ts`,
    suite_path: ['suite'],
    name: `case ${String(index)}`,
    status: 'RESULT_STATUS_PASSED' as const,
  }))
}

/** A product with its rows written straight into the store, its coverage computed by the service's own function. */
async function product(size: { requirements: number; tests: number }): Promise<App> {
  const app = await startApp({ checkResponses: false })
  const id = Number(app.productId)
  const now = Date.now()
  const actor = '{"type":"ACTOR_TYPE_USER","id":"","display_name":"","user_id":""}'
  for (let index = 0; index < ISSUES; index += 1) {
    const frames = [
      { function: 'run', filename: `src/part-${String(index % 30)}/file.ts`, lineno: index + 1, in_app: true },
    ]
    await app.ingest({ exception: { values: [{ type: `Error${String(index)}`, value: 'x', stacktrace: { frames } }] } })
  }
  const ids = Array.from({ length: size.requirements }, (_, index) => `requirement-${String(index)}`)
  await app.db.batch((prepare) => {
    const step = (value: number) => value.toString(16).padStart(8, '0')
    for (const [index, requirementId] of ids.entries()) {
      const path = `src/part-${String(index % 300)}/**`
      prepare(
        `INSERT INTO requirement (id, product_id, number, position, tree_path, kind, status, title, statement, priority, risk,
           code_refs, source, content_hash, created_by, updated_by, created_at, updated_at)
         VALUES (?, ?, ?, ?, ?, 'REQUIREMENT_KIND_FUNCTIONAL', 'REQUIREMENT_STATUS_APPROVED', ?, ?, ?, 'RISK_LEVEL_MEDIUM',
           ?, ?, '', ?, ?, ?, ?)`,
      ).run(
        requirementId,
        id,
        index + 1,
        index,
        `${step(index)}:${step(index + 1)}`,
        `The shop handles refund ${String(index)} of part ${String(index % 300)}`,
        'The shop shall pay the money back within 14 days.',
        ['PRIORITY_CRITICAL', 'PRIORITY_HIGH', 'PRIORITY_MEDIUM', 'PRIORITY_LOW'][index % 4] ?? '',
        JSON.stringify([
          { path, symbol: '', start_line: 0, end_line: 0, source: 'CODE_REF_SOURCE_DECLARED', confidence: 1 },
        ]),
        '{"kind":"REQUIREMENT_SOURCE_MANUAL","uri":"","line_start":0,"line_end":0,"quote":"","agent_run_id":""}',
        actor,
        actor,
        now,
        now,
      )
      prepare(
        'INSERT INTO requirement_text (rowid, key, title, statement, criteria, tags) SELECT seq, ?, title, statement, ?, ? FROM requirement WHERE id = ?',
      ).run(`REQ-${String(index + 1)}`, '', '', requirementId)
      prepare(
        'INSERT INTO requirement_path (product_id, prefix, requirement_id, glob, is_literal) VALUES (?, ?, ?, ?, 0)',
      ).run(id, path.slice(0, -2), requirementId, path)
    }
    prepare('INSERT INTO test_run (id, product_id, run_key, created_at) VALUES (?, ?, ?, ?)').run(
      'run',
      id,
      'first',
      now,
    )
    for (let index = 0; index < size.tests; index += 1) {
      const testId = `test-${String(index)}`
      const resultId = `result-${String(index)}`
      prepare(
        `INSERT INTO test (id, product_id, number, kind, title, level, status, automation, framework, identity, file_path, name,
           last_result_id, created_by, created_at, updated_at)
         VALUES (?, ?, ?, 'TEST_KIND_CASE', ?, 'TEST_LEVEL_UNIT', 'TEST_STATUS_ACTIVE', 'AUTOMATION_STATUS_AUTOMATED',
           'vitest', ?, ?, ?, ?, ?, ?, ?)`,
      ).run(
        testId,
        id,
        index + 1,
        `pays back ${String(index)}`,
        testId,
        `test/file-${String(index % 2000)}.test.ts`,
        `pays back ${String(index)}`,
        resultId,
        actor,
        now,
        now,
      )
      prepare(
        `INSERT INTO test_result (id, product_id, test_id, run_id, status, attempts, duration_ms, executed_at, reported)
         VALUES (?, ?, ?, 'run', ?, 1, 1, ?, '[]')`,
      ).run(resultId, id, testId, index % 7 === 0 ? 'RESULT_STATUS_FAILED' : 'RESULT_STATUS_PASSED', now)
      // Half of the requirements have tests.
      const requirementId = ids[(index * 2) % ids.length] ?? ''
      prepare(
        `INSERT INTO test_link (test_id, requirement_id, product_id, role, state, requirement_version, origin, created_by, created_at)
         VALUES (?, ?, ?, 'LINK_ROLE_VERIFIES', 'LINK_STATE_ACTIVE', 1, 'LINK_ORIGIN_MANUAL', ?, ?)`,
      ).run(testId, requirementId, id, actor, now)
    }
    prepare('UPDATE product SET next_requirement_number = ?, next_test_number = ? WHERE id = ?').run(
      size.requirements + 1,
      size.tests + 1,
      id,
    )
  })
  await app.db.write((rows, prepare) => refreshCoverage(rows, prepare, { productId: id, now }, ids))
  return app
}
