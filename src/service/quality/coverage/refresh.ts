import type { Selectable } from 'kysely'
import type * as z from 'zod'
import { Priority, RiskLevel } from '../../../contract/base/common.ts'
import type { Call } from '../../shared/context.ts'
import type { Database, Prepare, Rows } from '../../sql/database.ts'
import type { RequirementRow } from '../../sql/schema-quality.ts'
import { countedLinks, readCriterionIds } from './links.ts'
import { CHUNK, chunks } from '../../sql/chunks.ts'
import { maxResultAgeMs } from './policy.ts'
import { judgeCoverage, worstState, type CountedLink, type OwnCoverage, type CoverageStateName } from './rule.ts'
import { readOwnJson, readTexts } from '../../sql/json.ts'

/** The weight of a priority, a risk or a criticality in R (contract §9.1). */
const weights: Readonly<Record<string, number>> = { CRITICAL: 1, HIGH: 0.75, MEDIUM: 0.5, LOW: 0.25 }

/** The weight of a level: `PRIORITY_HIGH` and `RISK_LEVEL_HIGH` weigh 0.75. */
function riskWeight(level: z.output<typeof Priority> | z.output<typeof RiskLevel>): number {
  return weights[level.slice(level.lastIndexOf('_') + 1)] ?? 0
}

/**
 * Updates the stored coverage of requirements and their ancestors; deleted requirements lose their row. Call it in the
 * transaction of every change to a requirement, a link, a linked case or a result of a linked case.
 */
export async function refreshCoverage(
  rows: Rows,
  prepare: Prepare,
  { productId, now }: { productId: number; now: number },
  requirementIds: Iterable<string>,
): Promise<void> {
  const { gate_policy } = await rows
    .selectFrom('product')
    .select('gate_policy')
    .where('id', '=', productId)
    .executeTakeFirstOrThrow()
  const maxAgeMs = maxResultAgeMs(gate_policy)
  const criticality = await criticalities(rows, productId)
  const parents = new Set<string>()
  for (const chunk of chunks([...new Set(requirementIds)])) {
    const found = await rows.selectFrom('requirement').selectAll().where('id', 'in', chunk).execute()
    const live = found.filter(({ deleted_at }) => deleted_at === null)
    const links = live.length === 0 ? new Map<string, CountedLink[]>() : await countedLinks(rows, chunk, { now })
    for (const gone of found.filter(({ deleted_at }) => deleted_at !== null)) {
      await prepare('DELETE FROM requirement_coverage WHERE requirement_id = ?').run(gone.id)
      parents.add(gone.parent_id)
    }
    for (const requirement of live) {
      const criterionIds = readCriterionIds(requirement.acceptance_criteria)
      const own = judgeCoverage({ criterionIds, links: links.get(requirement.id) ?? [], maxAgeMs, now })
      const before = await formerParent(prepare, requirement.id)
      await store(prepare, requirement, own, riskScore(requirement, criticality))
      await rollUp(prepare, requirement.id)
      for (const parent of [requirement.parent_id, before]) parents.add(parent)
    }
  }
  await rollUpAncestors(prepare, parents)
}

/** The ids of the requirements that the cases count for: linked to the case itself or to a suite above it. */
export async function requirementsOfTests(prepare: Prepare, testIds: readonly string[]): Promise<string[]> {
  const found = new Set<string>()
  for (const chunk of chunks(testIds)) {
    const places = chunk.map(() => '?').join(', ')
    const links = await prepare(
      `WITH RECURSIVE above (id, parent_id) AS (
         SELECT id, parent_id FROM test WHERE id IN (${places})
         UNION SELECT test.id, test.parent_id FROM above JOIN test ON test.id = above.parent_id
       )
       SELECT DISTINCT requirement_id FROM test_link WHERE test_id IN (SELECT id FROM above) AND archived_at IS NULL`,
    ).all<{ requirement_id: string }>(...chunk)
    for (const { requirement_id } of links) found.add(requirement_id)
  }
  return [...found]
}

/** Updates coverage that is based on results that are too old by now, a few hundred requirements per transaction. */
export async function refreshStale(db: Database, productId: number, now: number): Promise<void> {
  for (;;) {
    const stale = await db.read
      .selectFrom('requirement_coverage')
      .select('requirement_id')
      .where('product_id', '=', productId)
      .where('stale_at', '<=', now)
      .limit(CHUNK)
      .execute()
    if (stale.length === 0) return
    const ids = stale.map(({ requirement_id }) => requirement_id)
    await db.write((rows, prepare) => refreshCoverage(rows, prepare, { productId, now }, ids))
  }
}

/** `refreshStale` for an answer that may be remembered: tells the call when the next results become too old. */
export async function refreshForAnswer(
  { db, now, changesAt }: Pick<Call, 'db' | 'now' | 'changesAt'>,
  productId: number,
): Promise<void> {
  let next = await nextStale(db, productId)
  if (next !== undefined && next <= now()) {
    await refreshStale(db, productId, now())
    next = await nextStale(db, productId)
  }
  if (next !== undefined) changesAt?.(next)
}

/** When the next stored coverage rests on results that are too old. */
async function nextStale(db: Database, productId: number): Promise<number | undefined> {
  const found = await db.read
    .selectFrom('requirement_coverage')
    .select('stale_at')
    .where('product_id', '=', productId)
    .where('stale_at', 'is not', null)
    .orderBy('stale_at')
    .limit(1)
    .executeTakeFirst()
  return found?.stale_at ?? undefined
}

async function criticalities(rows: Rows, productId: number): Promise<Map<string, number>> {
  const found = await rows
    .selectFrom('component')
    .select(['id', 'criticality'])
    .where('product_id', '=', productId)
    .execute()
  return new Map(found.map(({ id, criticality }) => [id, riskWeight(RiskLevel.parse(criticality))]))
}

/** R = max(w(priority), w(risk), w(component.criticality)) (contract §9.1). */
function riskScore(requirement: Selectable<RequirementRow>, criticality: ReadonlyMap<string, number>): number {
  const components = readTexts(requirement.component_ids).map((id) => criticality.get(id) ?? 0)
  const { priority, risk } = requirement
  return Math.max(riskWeight(Priority.parse(priority)), riskWeight(RiskLevel.parse(risk)), ...components)
}

async function formerParent(prepare: Prepare, id: string): Promise<string> {
  const find = prepare('SELECT parent_id FROM requirement_coverage WHERE requirement_id = ?')
  const row = await find.get<{ parent_id: string }>(id)
  return row?.parent_id ?? ''
}

async function store(
  prepare: Prepare,
  requirement: Selectable<RequirementRow>,
  own: OwnCoverage,
  risk: number,
): Promise<void> {
  const { coverage, gap, staleAt } = own
  const isGroup = requirement.kind === 'REQUIREMENT_KIND_GROUP'
  const isGap = requirement.normative === 1 && requirement.status !== 'REQUIREMENT_STATUS_DEPRECATED'
  await prepare(
    `INSERT INTO requirement_coverage (requirement_id, product_id, parent_id, number, own, own_state, state, failing,
       suspect, flaky, counts, is_group, gap_type, risk_score, component_ids, stale_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (requirement_id) DO UPDATE SET parent_id = excluded.parent_id, is_group = excluded.is_group,
       own = excluded.own, own_state = excluded.own_state, gap_type = excluded.gap_type, risk_score = excluded.risk_score,
       component_ids = excluded.component_ids, stale_at = excluded.stale_at`,
  ).run(
    requirement.id,
    requirement.product_id,
    requirement.parent_id,
    requirement.number,
    JSON.stringify(coverage),
    coverage.state,
    coverage.state,
    flag(coverage.failing),
    flag(coverage.suspect),
    flag(coverage.flaky),
    0,
    flag(isGroup),
    isGap && !isGroup ? gap : '',
    risk,
    requirement.component_ids,
    staleAt,
  )
}

interface RolledRow {
  own: string
  own_state: CoverageStateName
  parent_id: string
  kind: string
  status: string
  normative: number
}

/** Combines a requirement's own coverage with that of its children (contract §1.2); returns the id of its parent. */
async function rollUp(prepare: Prepare, id: string): Promise<string> {
  const row = await prepare(
    `SELECT own, own_state, requirement_coverage.parent_id, kind, status, normative
     FROM requirement_coverage JOIN requirement ON requirement.id = requirement_id WHERE requirement_id = ?`,
  ).get<RolledRow>(id)
  if (row === undefined) return ''
  const children = await childStates(prepare, id)
  const isGroup = row.kind === 'REQUIREMENT_KIND_GROUP'
  const state = worstState(isGroup ? children : [row.own_state, ...children])
  const isEmpty = state === undefined
  const counts = row.normative === 1 && row.status !== 'REQUIREMENT_STATUS_DEPRECATED' && !isEmpty
  // Written by `store` above.
  const own = readOwnJson<OwnCoverage['coverage']>(row.own)
  const either = async (name: 'failing' | 'suspect' | 'flaky') => flag(own[name] || (await anyChild(prepare, id, name)))
  const flags = [await either('failing'), await either('suspect'), await either('flaky')]
  await prepare(
    'UPDATE requirement_coverage SET state = ?, failing = ?, suspect = ?, flaky = ?, counts = ? WHERE requirement_id = ?',
  ).run(state ?? 'no_test', ...flags, flag(counts), id)
  return row.parent_id
}

/** The states of the children that count. */
async function childStates(prepare: Prepare, id: string): Promise<CoverageStateName[]> {
  const exists = prepare(
    'SELECT 1 AS found FROM requirement_coverage WHERE parent_id = ? AND state = ? AND counts = 1 LIMIT 1',
  )
  const found: CoverageStateName[] = []
  for (const state of ['no_test', 'not_run', 'verified'] as const)
    if ((await exists.get(id, state)) !== undefined) found.push(state)
  return found
}

async function anyChild(prepare: Prepare, id: string, flagName: 'failing' | 'suspect' | 'flaky'): Promise<boolean> {
  const exists = prepare(
    `SELECT 1 AS found FROM requirement_coverage WHERE parent_id = ? AND counts = 1 AND ${flagName} = 1 LIMIT 1`,
  )
  return (await exists.get(id)) !== undefined
}

/** Level by level, each ancestor once per level: a tree is at most twelve deep (contract §3). */
async function rollUpAncestors(prepare: Prepare, parents: ReadonlySet<string>): Promise<void> {
  let level = new Set(parents)
  level.delete('')
  while (level.size > 0) {
    const next = new Set<string>()
    for (const id of level) {
      const parent = await rollUp(prepare, id)
      if (parent !== '') next.add(parent)
    }
    level = next
  }
}

function flag(value: boolean): number {
  return value ? 1 : 0
}
