import { sql } from 'kysely'
import { ResultStatus } from '../../../contract/base/common.ts'
import { isQuarantined } from '../../quality/coverage/quarantine.ts'
import { inScope, newestResultIds, type CoverageScope } from '../../quality/coverage/scope.ts'
import { TokenKind } from '../../../contract/products.ts'
import { testKey } from '../../quality/keys.ts'
import { dayMs } from '../../shared/times.ts'
import { chunks } from '../../sql/chunks.ts'
import type { Rows } from '../../sql/database.ts'
import { readTexts } from '../../sql/json.ts'
import type { ResultFact, TestFact } from '../facts.ts'
import type { FactsQuery } from './query.ts'
import type { LinkedTests } from './links.ts'

/** The age of results that make a test flaky or not (contract §7). */
const FLAKY_MS = 30 * dayMs

/** Facts of tests as they are at one time, and stay until another one if nothing is written: epoch milliseconds. */
export interface LastingTests {
  facts: readonly TestFact[]
  until: number
}

/** Live cases with a result in the scope or with a link that counts, in the order of their keys. */
export async function readTestsAt(rows: Rows, query: FactsQuery, links: LinkedTests): Promise<LastingTests> {
  const { scope, now, maxAgeMs } = query
  const cases = await rows
    .selectFrom('test')
    .select(['id', 'number', 'title', 'names_known', 'component_ids', 'issue_id', 'quarantined_until'])
    .where('product_id', '=', scope.productId)
    .where('kind', '=', 'TEST_KIND_CASE')
    .where('status', '<>', 'TEST_STATUS_DEPRECATED')
    .where('deleted_at', 'is', null)
    .orderBy('number')
    .execute()
  const ids = cases.map(({ id }) => id)
  const newest = await readNewest(rows, ids, query)
  const flaky = await readFlaky(rows, query)
  const facts: TestFact[] = []
  let until = Infinity
  const changesAt = (time: number) => void (until = Math.min(until, time > now ? time : Infinity))
  for (const row of cases) {
    const result = newest.get(row.id)
    const linked = links.all.has(row.id)
    if (result === undefined && !linked) continue
    const ranLately = result !== undefined && !result.carried && result.at >= now - FLAKY_MS
    const ran = flaky.get(row.id) ?? { runs: ranLately ? 1 : 0, flakyRuns: 0, firstAt: result?.at ?? 0 }
    // A result counts through the last millisecond of its time.
    changesAt(ran.firstAt + FLAKY_MS + 1)
    if (maxAgeMs > 0 && result !== undefined) changesAt(result.at + maxAgeMs + 1)
    changesAt(row.quarantined_until ?? 0)
    facts.push({
      id: row.id,
      key: testKey(row),
      title: row.title,
      namesKnown: row.names_known === 1,
      componentIds: row.component_ids === '[]' ? [] : readTexts(row.component_ids),
      issueId: row.issue_id,
      linked,
      linkedToImportant: links.important.has(row.id),
      quarantined: isQuarantined(row, now),
      newest: result,
      runs: ran.runs,
      flakyRuns: ran.flakyRuns,
    })
  }
  return { facts, until }
}

/** The newest result of each case in the scope; where there is none, the newest one that is carried. */
async function readNewest(
  rows: Rows,
  testIds: readonly string[],
  { counting, carried, maxAgeMs, now }: FactsQuery,
): Promise<Map<string, ResultFact>> {
  const isStale = (at: number) => maxAgeMs > 0 && at < now - maxAgeMs
  const newest = await newestIn(rows, testIds, counting, { carried: false, isStale })
  if (carried === undefined) return newest
  const others = await newestIn(
    rows,
    testIds.filter((id) => !newest.has(id)),
    carried,
    { carried: true, isStale },
  )
  return new Map([...others, ...newest])
}

async function newestIn(
  rows: Rows,
  testIds: readonly string[],
  scope: CoverageScope,
  { carried, isStale }: { carried: boolean; isStale: (at: number) => boolean },
): Promise<Map<string, ResultFact>> {
  const newest = new Map<string, ResultFact>()
  for (const chunk of chunks(testIds)) {
    const found = await rows
      .selectFrom('test_result as result')
      .innerJoin('test_run as run', 'run.id', 'result.run_id')
      .select(['result.test_id', 'result.status', 'result.executed_at', 'run.commit_sha', 'run.sender'])
      .where(sql<boolean>`result.id IN (${newestResultIds(chunk, scope)})`)
      .execute()
    for (const { test_id, status, executed_at: at, commit_sha: commitSha, sender } of found) {
      newest.set(test_id, {
        status: ResultStatus.parse(status),
        at,
        commitSha,
        sender: TokenKind.parse(sender),
        stale: isStale(at),
        carried,
      })
    }
  }
  return newest
}

/** Of cases with a flaky result of the last 30 days in the scope, how many results they have then, and when the first ran. */
async function readFlaky(rows: Rows, { counting, scope, now }: FactsQuery) {
  const since = now - FLAKY_MS
  const { rows: found } = await sql<{ test_id: string; runs: number; flaky: number; first_at: number }>`
    SELECT result.test_id, count(*) AS runs, min(result.executed_at) AS first_at,
      sum(CASE result.status WHEN 'RESULT_STATUS_FLAKY' THEN 1 ELSE 0 END) AS flaky
    FROM test_result AS result JOIN test_run AS run ON run.id = result.run_id
    WHERE result.test_id IN (
        SELECT test_id FROM test_result
        WHERE product_id = ${scope.productId} AND status = 'RESULT_STATUS_FLAKY' AND executed_at >= ${since})
      AND result.executed_at >= ${since} AND ${inScope(counting)}
    GROUP BY result.test_id`.execute(rows)
  return new Map(
    found.flatMap(({ test_id, runs, flaky: flakyRuns, first_at: firstAt }) =>
      flakyRuns > 0 ? [[test_id, { runs, flakyRuns, firstAt }] as const] : [],
    ),
  )
}
