import { sql } from 'kysely'
import type * as z from 'zod'
import { AutomationStatus, TestKind, TestLevel, TestStatus, type Test } from '../../../contract/tests.ts'
import { chunks } from '../../sql/chunks.ts'
import { computeEtag } from '../../shared/etag.ts'
import { requirementKey, testKey } from '../keys.ts'
import { parseActor, LabelColumn } from '../requirements/columns.ts'
import type { Rows } from '../../sql/database.ts'
import { dayMs, timestamp, timestampOrNull } from '../../shared/times.ts'
import type { StoredTest } from './access.ts'
import { Steps } from './columns.ts'
import { isQuarantined } from '../coverage/quarantine.ts'
import { reproducedIssues } from './issues.ts'
import { viewResults, type TestResultBody } from './result-view.ts'
import { readJson, readTexts } from '../../sql/json.ts'

export type TestBody = z.input<typeof Test>

const WINDOW_DAYS = 30

/** Converts rows to the contract's tests, in the same order, with links, newest result and statistics over 30 days. */
export async function viewTests(
  rows: Rows,
  tests: readonly StoredTest[],
  { now, basic = false }: { now: number; basic?: boolean },
): Promise<TestBody[]> {
  const ids = tests.map(({ id }) => id)
  const links = await linkedKeys(rows, ids)
  const stats = await loadStats(rows, ids, now - WINDOW_DAYS * dayMs)
  const last = await lastResults(rows, tests)
  const issues = await reproducedIssues(
    rows,
    tests.map(({ issue_id }) => issue_id),
  )
  return tests.map((row) => ({
    id: row.id,
    key: testKey(row),
    product_id: String(row.product_id),
    branch_id: row.branch_id,
    parent_id: row.parent_id,
    position: row.position,
    kind: TestKind.parse(row.kind),
    title: row.title,
    names_known: row.names_known === 1,
    description: basic ? '' : row.description,
    level: TestLevel.parse(row.level),
    status: TestStatus.parse(row.status),
    automation: AutomationStatus.parse(row.automation),
    framework: row.framework,
    automation_ref: {
      identity: row.identity ?? '',
      file_path: row.file_path,
      suite_path: readTexts(row.suite_path),
      name: row.name,
      project: row.project,
      line: row.line,
    },
    preconditions: basic ? '' : row.preconditions,
    steps: basic ? [] : readJson(Steps, row.steps),
    tags: readTexts(row.tags),
    labels: readJson(LabelColumn, row.labels),
    component_ids: readTexts(row.component_ids),
    quarantined: isQuarantined(row, now),
    quarantine_reason: row.quarantine_reason,
    quarantine_owner: row.quarantine_owner,
    quarantined_until: timestampOrNull(row.quarantined_until),
    link_count: links.get(row.id)?.length ?? 0,
    requirement_keys: links.get(row.id) ?? [],
    issue: issues.get(row.issue_id) ?? null,
    last_result: last.get(row.last_result_id) ?? null,
    stats: stats.get(row.id) ?? noStats,
    created_by: parseActor(row.created_by),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
    etag: computeEtag(row.id, row.etag_version),
  }))
}

/** The keys of the requirements that each test itself is linked to, by number. */
async function linkedKeys(rows: Rows, ids: readonly string[]): Promise<Map<string, string[]>> {
  const keys = new Map<string, string[]>()
  for (const chunk of chunks(ids)) {
    const found = await rows
      .selectFrom('test_link')
      .innerJoin('requirement', 'requirement.id', 'test_link.requirement_id')
      .select(['test_link.test_id', 'requirement.number'])
      .where('test_link.test_id', 'in', chunk)
      .where('test_link.archived_at', 'is', null)
      .orderBy('requirement.number')
      .execute()
    for (const { test_id, number } of found)
      keys.set(test_id, [...(keys.get(test_id) ?? []), requirementKey({ number })])
  }
  return keys
}

async function lastResults(rows: Rows, tests: readonly StoredTest[]): Promise<Map<string, TestResultBody>> {
  const results = new Map<string, TestResultBody>()
  const ids = tests.map(({ last_result_id }) => last_result_id).filter((id) => id !== '')
  for (const chunk of chunks(ids)) {
    const found = await rows.selectFrom('test_result').selectAll().where('id', 'in', chunk).execute()
    for (const body of await viewResults(rows, found)) results.set(body.id, body)
  }
  return results
}

const noStats: TestBody['stats'] = {
  runs: 0,
  passed: 0,
  failed: 0,
  skipped: 0,
  flaky: 0,
  pass_rate: 0,
  avg_duration_ms: 0,
  window_days: WINDOW_DAYS,
}

/** `pass_rate` is the share of passed runs, flaky ones included, among the runs that were not skipped. */
async function loadStats(rows: Rows, ids: readonly string[], since: number): Promise<Map<string, TestBody['stats']>> {
  const stats = new Map<string, TestBody['stats']>()
  for (const chunk of chunks(ids)) {
    const count = (...statuses: string[]) =>
      sql<number>`sum(CASE WHEN status IN (${sql.join(statuses.map((status) => `RESULT_STATUS_${status}`))}) THEN 1 ELSE 0 END)`
    const found = await rows
      .selectFrom('test_result')
      .select(['test_id', sql<number>`count(*)`.as('runs'), sql<number>`avg(duration_ms)`.as('duration')])
      .select([count('PASSED').as('passed'), count('FAILED', 'ERROR').as('failed'), count('FLAKY').as('flaky')])
      .select(count('SKIPPED', 'BLOCKED').as('skipped'))
      .where('test_id', 'in', chunk)
      .where('executed_at', '>=', since)
      .groupBy('test_id')
      .execute()
    for (const { test_id, runs, duration, passed, failed, flaky, skipped } of found) {
      const ran = runs - skipped
      stats.set(test_id, {
        runs,
        passed,
        failed,
        skipped,
        flaky,
        pass_rate: ran === 0 ? 0 : Math.round(((passed + flaky) / ran) * 1000) / 1000,
        avg_duration_ms: Math.round(duration),
        window_days: WINDOW_DAYS,
      })
    }
  }
  return stats
}
