import { sql } from 'kysely'
import * as z from 'zod'
import { ResultStatus } from '../../../contract/base/common.ts'
import type { LinkRole } from '../../../contract/links.ts'
import { isKnownEnvironment, isKnownRelease } from '../../workspace/releases/rules.ts'
import type { Rows } from '../../sql/database.ts'
import type { CountedCase, CountedLink, NewestResult } from './rule.ts'
import { isQuarantined } from './quarantine.ts'
import { chunks } from '../../sql/chunks.ts'
import { newestResultIds, type CoverageScope } from './scope.ts'
import { readJson, readTexts } from '../../sql/json.ts'

const Criteria = z.array(z.object({ id: z.string() }))

/** The ids of the criteria in `requirement.acceptance_criteria` (JSON). */
export function readCriterionIds(json: string): string[] {
  return readJson(Criteria, json).map(({ id }) => id)
}

/** The roles of links that count as coverage. */
export const countingRoles = [
  'LINK_ROLE_VERIFIES',
  'LINK_ROLE_PARTIALLY_VERIFIES',
] as const satisfies readonly z.output<typeof LinkRole>[]
const CountingRole = z.enum(countingRoles)

/**
 * The links that count as coverage, by requirement, with their cases and the newest result of each in the scope. A link
 * to a suite has all cases of the suite.
 */
export async function countedLinks(
  rows: Rows,
  requirementIds: readonly string[],
  { now, ...scope }: CoverageScope & { now: number },
): Promise<Map<string, CountedLink[]>> {
  const links = await rows
    .selectFrom('test_link')
    .select(['test_id', 'requirement_id', 'role', 'state', 'criterion_ids'])
    .where('requirement_id', 'in', requirementIds)
    .where('role', 'in', countingRoles)
    .where('archived_at', 'is', null)
    .execute()
  const cases = await casesUnder(rows, [...new Set(links.map((link) => link.test_id))])
  const ids = [...cases.values()].flat().flatMap((one) => (isQuarantined(one, now) ? [] : [one.id]))
  const newest = await newestResults(rows, [...new Set(ids)], scope)
  const facts = new Map<string, CountedLink[]>(requirementIds.map((id) => [id, []]))
  for (const link of links) {
    const [counting, held] = splitQuarantined(cases.get(link.test_id) ?? [], now)
    facts.get(link.requirement_id)?.push({
      role: CountingRole.parse(link.role),
      suspect: link.state === 'LINK_STATE_SUSPECT',
      linkedId: link.test_id,
      criterionIds: readTexts(link.criterion_ids),
      cases: counting.map(({ id: testId }): CountedCase => ({ testId, newest: newest.get(testId) })),
      countsMoreAt: held,
    })
  }
  return facts
}

/** The cases that are not in quarantine, and when the first of the others counts again. */
function splitQuarantined(cases: readonly CaseUnder[], now: number): [CaseUnder[], number | undefined] {
  const held = cases.filter((one) => isQuarantined(one, now))
  const until = held.reduce((least, { quarantined_until }) => Math.min(least, quarantined_until ?? Infinity), Infinity)
  return [cases.filter((one) => !held.includes(one)), held.length === 0 ? undefined : until]
}

interface CaseUnder {
  id: string
  quarantined_until: number | null
}

/** The cases that may count for each test: the case itself, or all cases below a suite. */
export async function casesUnder(rows: Rows, testIds: readonly string[]): Promise<Map<string, CaseUnder[]>> {
  const under = new Map<string, CaseUnder[]>(testIds.map((id) => [id, []]))
  for (const chunk of chunks(testIds)) {
    // The recursion carries every column that is tested below: a join after it would read the whole table.
    const { rows: found } = await sql<CaseUnder & { root: string }>`
      WITH RECURSIVE below (root, id, kind, status, quarantined_until) AS (
        SELECT id, id, kind, status, quarantined_until FROM test WHERE id IN (${sql.join(chunk)}) AND deleted_at IS NULL
        UNION
        SELECT below.root, test.id, test.kind, test.status, test.quarantined_until
        FROM below JOIN test ON test.parent_id = below.id
        WHERE below.kind = 'TEST_KIND_SUITE' AND test.deleted_at IS NULL
      )
      SELECT root, id, quarantined_until FROM below
      WHERE kind = 'TEST_KIND_CASE' AND status <> 'TEST_STATUS_DEPRECATED'
    `.execute(rows)
    for (const { root, ...one } of found) under.get(root)?.push(one)
  }
  return under
}

/** A result with the environment that it is from. */
export interface PlacedResult extends NewestResult {
  environment: string
  environmentKnown: boolean
}

/** The newest result of each case in the scope. */
export async function newestResults(
  rows: Rows,
  testIds: readonly string[],
  scope: CoverageScope,
): Promise<Map<string, PlacedResult>> {
  const newest = new Map<string, PlacedResult>()
  for (const chunk of chunks(testIds)) {
    const found = await rows
      .selectFrom('test_result as result')
      .leftJoin('release', 'release.id', 'result.release_id')
      .leftJoin('environment', 'environment.id', 'result.environment_id')
      .select(['result.test_id', 'result.status', 'result.executed_at', 'release.version', 'release.origin'])
      .select(['environment.name as environment', 'environment.origin as environment_origin'])
      .where(sql<boolean>`result.id IN (${newestResultIds(chunk, scope)})`)
      .execute()
    for (const { test_id, status, executed_at, version, origin, environment, environment_origin } of found) {
      newest.set(test_id, {
        status: ResultStatus.parse(status),
        at: executed_at,
        release: version ?? '',
        releaseKnown: origin !== null && isKnownRelease({ origin }),
        environment: environment ?? '',
        environmentKnown:
          environment !== null &&
          environment_origin !== null &&
          isKnownEnvironment({ name: environment, origin: environment_origin }),
      })
    }
  }
  return newest
}
