import { dayMs } from '../../../../src/service/shared/times.ts'
import type { App } from '../../../app.ts'
import { versionOf, type Pattern } from './facts.ts'
import { post, startService } from './patterns.ts'
import { areas, DAYS } from './plan.ts'

const REQUIREMENTS = 200
const TESTS = 400
/** Deployments that the team records, one every third day. */
const RECORDED_EVERY = 3

/** What a team adds to the events at the time `now`: statuses of issues, releases, requirements and results of tests. */
export async function addTeamWork(dataDir: string, patterns: readonly Pattern[], now: number): Promise<void> {
  await using app = await startService(dataDir, { now })
  const product = `/v1/products/${app.productId}`
  await closeIssues(app, patterns)
  for (let day = 0; day < DAYS; day += RECORDED_EVERY) {
    const released_at = new Date(now - (DAYS - day) * dayMs).toISOString()
    const release = { version: versionOf(0, day), environment: 'production', released_at }
    await post(app, `${product}/releases`, { ...release, commit_sha: day.toString(16).padStart(40, '0') })
  }
  for (let index = 0; index < REQUIREMENTS; index += 1) await post(app, `${product}/requirements`, requirement(index))
  const cases = Array.from({ length: TESTS }, (_, index) => testCase(index))
  await post(app, `${product}/tests:ingest`, { draft: { cases }, run: { run_key: 'first' } })
  await post(app, `${product}/quality-gate:compute`, {})
}

/** Resolves a fifth of the issues and ignores a tenth. */
async function closeIssues(app: App, patterns: readonly Pattern[]): Promise<void> {
  for (const productId of new Set(patterns.map((pattern) => pattern.productId))) {
    for (const [status, rests] of Object.entries({ resolved: [1, 6], ignored: [4] })) {
      const chosen = patterns.filter((pattern, issue) => pattern.productId === productId && rests.includes(issue % 10))
      const ids = chosen.map(({ issueId }) => issueId)
      for (let from = 0; from < ids.length; from += 500) {
        const body = { issue_ids: ids.slice(from, from + 500), status, note: 'seen by the team' }
        await post(app, `/v1/products/${String(productId)}/issues:bulkSetStatus`, body)
      }
    }
  }
}

function requirement(index: number) {
  const area = areas[index % areas.length] ?? ''
  return {
    title: `The ${area} of the shop handles case ${String(index)}`,
    statement: `When case ${String(index)} of ${area} occurs, the shop shall answer within 3 seconds.`,
    status: 'REQUIREMENT_STATUS_APPROVED',
    priority: ['PRIORITY_CRITICAL', 'PRIORITY_HIGH', 'PRIORITY_MEDIUM', 'PRIORITY_LOW'][index % 4],
    code_refs: [{ path: `src/${area}/part-${String(index)}.ts` }],
    acceptance_criteria: [{ text: 'The answer holds the total.' }, { text: 'Nothing is charged twice.' }],
  }
}

/** Half of the requirements have tests, and some of these fail. */
function testCase(index: number) {
  return {
    file_path: `test/part-${String(index % 50)}.test.ts`,
    suite_path: ['shop'],
    name: `handles case ${String(index)}`,
    status: index % 9 === 0 ? 'RESULT_STATUS_FAILED' : 'RESULT_STATUS_PASSED',
    requirement_keys: [`REQ-${String(1 + ((index * 2) % REQUIREMENTS))}`],
  }
}
