import { sql, type Selectable } from 'kysely'
import { casesUnder } from '../../../quality/coverage/links.ts'
import { chunks } from '../../../sql/chunks.ts'
import { columnIn } from '../../../sql/conditions.ts'
import type { Rows } from '../../../sql/database.ts'
import type { RequirementRow, RequirementVersionRow } from '../../../sql/schema-quality.ts'

/** A suspect link with its test. */
export interface SuspectRow {
  test_id: string
  requirement_id: string
  role: string
  origin: string
  criterion_ids: string
  requirement_version: number
  test_number: number
  test_title: string
  test_kind: string
  names_known: number
  file_path: string
  /** When the wording changed after the link was made; null if it did not. */
  changed_at: number | null
}

/**
 * At most `limit` suspect links of requirements and tests that are in use, by the priority of the requirement, then those in
 * doubt for longest; and how many there are.
 */
export async function readSuspect(
  rows: Rows,
  productId: number,
  limit: number,
): Promise<{ links: SuspectRow[]; total: number }> {
  const suspect = sql`FROM test_link AS link
      JOIN test ON test.id = link.test_id
      JOIN requirement ON requirement.id = link.requirement_id
      LEFT JOIN requirement_version AS changed
        ON changed.requirement_id = link.requirement_id AND changed.version = link.requirement_version + 1
    WHERE link.product_id = ${productId} AND link.state = 'LINK_STATE_SUSPECT' AND link.archived_at IS NULL
      AND test.deleted_at IS NULL AND (test.kind = 'TEST_KIND_SUITE' OR test.status <> 'TEST_STATUS_DEPRECATED')
      AND requirement.deleted_at IS NULL AND requirement.status <> 'REQUIREMENT_STATUS_DEPRECATED'`
  const { rows: counted } = await sql<{ total: number }>`SELECT count(*) AS total ${suspect}`.execute(rows)
  const { rows: links } = await sql<SuspectRow>`
    SELECT link.test_id, link.requirement_id, link.role, link.origin, link.criterion_ids, link.requirement_version,
      test.number AS test_number, test.title AS test_title, test.kind AS test_kind, test.names_known, test.file_path,
      changed.at AS changed_at
    ${suspect}
    ORDER BY CASE requirement.priority
        WHEN 'PRIORITY_CRITICAL' THEN 0 WHEN 'PRIORITY_HIGH' THEN 1 WHEN 'PRIORITY_MEDIUM' THEN 2 ELSE 3 END,
      coalesce(changed.at, link.created_at), requirement.number, test.number
    LIMIT ${limit}`.execute(rows)
  return { links, total: counted[0]?.total ?? 0 }
}

export type StoredRequirement = Pick<
  Selectable<RequirementRow>,
  'id' | 'number' | 'title' | 'statement' | 'acceptance_criteria' | 'priority' | 'risk' | 'version'
>

/** The requirements as they read now, by id. */
export async function readRequirements(rows: Rows, ids: readonly string[]): Promise<Map<string, StoredRequirement>> {
  const found = await rows
    .selectFrom('requirement')
    .select(['id', 'number', 'title', 'statement', 'acceptance_criteria', 'priority', 'risk', 'version'])
    .where('id', 'in', ids)
    .execute()
  return new Map(found.map((row) => [row.id, row]))
}

export type StoredVersion = Selectable<RequirementVersionRow>

/** The versions of each requirement, oldest first. */
export async function readVersions(rows: Rows, ids: readonly string[]): Promise<Map<string, StoredVersion[]>> {
  const found = await rows
    .selectFrom('requirement_version')
    .selectAll()
    .where('requirement_id', 'in', ids)
    .orderBy('version')
    .execute()
  return Map.groupBy(found, ({ requirement_id: id }) => id)
}

/** A branch that changed the wording of a requirement and was merged. */
export interface Merged {
  id: string
  name: string
  /** What the branch says about the change. */
  note: string
  mergedBy: string
  mergedAt: number
}

/** The merged branches that changed each requirement, in the order of their merges. */
export async function readMerged(rows: Rows, ids: readonly string[]): Promise<Map<string, Merged[]>> {
  const found = await rows
    .selectFrom('branch_change as change')
    .innerJoin('branch', 'branch.id', 'change.branch_id')
    .select(['change.entity_id', 'change.note', 'branch.id', 'branch.name', 'branch.merged_by', 'branch.merged_at'])
    .where('change.entity_id', 'in', ids)
    .where('branch.state', '=', 'BRANCH_STATE_MERGED')
    .orderBy('branch.merged_at')
    .execute()
  const merged = new Map<string, Merged[]>()
  for (const { entity_id, id, name, note, merged_by: mergedBy, merged_at: mergedAt } of found) {
    if (mergedBy === null || mergedAt === null) continue
    merged.set(entity_id, [...(merged.get(entity_id) ?? []), { id, name, note, mergedBy, mergedAt }])
  }
  return merged
}

/** The newest result of a case. */
export interface CaseResult {
  status: string
  at: number
  commitSha: string
}

/** The newest result of each case below a test, undefined for a case that never ran; for a test case, its own. */
export async function readResults(
  rows: Rows,
  testIds: readonly string[],
): Promise<Map<string, (CaseResult | undefined)[]>> {
  const cases = await casesUnder(rows, testIds)
  const newest = new Map<string, CaseResult>()
  for (const chunk of chunks([...new Set([...cases.values()].flat().map(({ id }) => id))])) {
    const { rows: found } = await sql<{ id: string; status: string; executed_at: number; commit_sha: string }>`
      SELECT test.id, result.status, result.executed_at, run.commit_sha
      FROM test JOIN test_result AS result ON result.id = test.last_result_id JOIN test_run AS run ON run.id = result.run_id
      WHERE ${columnIn('test.id', chunk)}`.execute(rows)
    for (const { id, status, executed_at: at, commit_sha: commitSha } of found)
      newest.set(id, { status, at, commitSha })
  }
  return new Map(Array.from(cases, ([id, under]) => [id, under.map((one) => newest.get(one.id))]))
}
