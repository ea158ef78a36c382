import { sql } from 'kysely'
import type * as z from 'zod'
import { type CoverageCounts, CoverageState } from '../../../contract/base/common.ts'
import type { Rows } from '../../sql/database.ts'
import { countedLinks, readCriterionIds } from './links.ts'
import { isUnscoped, type CoverageScope } from './scope.ts'
import { chunks } from '../../sql/chunks.ts'
import { maxResultAgeMs } from './policy.ts'
import type { CoverageBody, CountedLink, CoverageStateName } from './rule.ts'
import { coverTree, type Shown } from './tree.ts'
import { readOwnJson } from '../../sql/json.ts'

export interface CoveredProduct {
  id: number
  gate_policy: string
}

/**
 * The coverage of requirements by id (contract §1.2). Without a scope it is the stored coverage, which `refreshStale`
 * keeps current; in a scope it is computed now, including descendants. Unknown and deleted ids are omitted.
 */
export async function coverageFor(
  rows: Rows,
  product: CoveredProduct,
  requirementIds: readonly string[],
  now: number,
  scope: CoverageScope = {},
): Promise<Map<string, CoverageBody>> {
  if (isUnscoped(scope)) return storedCoverage(rows, requirementIds)
  const shown = await scopedCoverage(rows, product, requirementIds, now, scope)
  return new Map(requirementIds.flatMap((id) => (shown.has(id) ? [[id, shown.get(id)!.coverage] as const] : [])))
}

/**
 * The number of requirements in each state: those that count and are not groups, whose children count already. Those in
 * `not_run` with a failing test, and others with links in doubt, are counted again by that.
 */
export async function countCoverage(
  rows: Rows,
  product: CoveredProduct,
  now: number,
  scope: CoverageScope = {},
): Promise<CoverageNumbers> {
  const counts: CoverageNumbers = { verified: 0, not_run: 0, no_test: 0, failing: 0, suspect: 0 }
  const add = (state: CoverageStateName, flags: { failing: boolean; suspect: boolean }, count: number) => {
    counts[state] += count
    if (state !== 'not_run') return
    if (flags.failing) counts.failing += count
    else if (flags.suspect) counts.suspect += count
  }
  if (isUnscoped(scope)) {
    const found = await rows
      .selectFrom('requirement_coverage')
      .select(['state', 'failing', 'suspect', sql<number>`count(*)`.as('count')])
      .where('product_id', '=', product.id)
      .where('counts', '=', 1)
      .where('is_group', '=', 0)
      .groupBy(['state', 'failing', 'suspect'])
      .execute()
    for (const { state, failing, suspect, count } of found)
      add(CoverageState.parse(state), { failing: failing === 1, suspect: suspect === 1 }, count)
    return counts
  }
  const all = await rows
    .selectFrom('requirement')
    .select(['id', 'kind'])
    .where('product_id', '=', product.id)
    .where('deleted_at', 'is', null)
    .execute()
  const ids = all.flatMap(({ id, kind }) => (kind === 'REQUIREMENT_KIND_GROUP' ? [] : [id]))
  const shown = await scopedCoverage(rows, product, ids, now, scope)
  for (const id of ids) {
    const one = shown.get(id)
    if (one?.counts === true) add(one.coverage.state, one.coverage, 1)
  }
  return counts
}

type CoverageNumbers = z.input<typeof CoverageCounts>

async function storedCoverage(rows: Rows, requirementIds: readonly string[]): Promise<Map<string, CoverageBody>> {
  const stored = new Map<string, CoverageBody>()
  for (const chunk of chunks(requirementIds)) {
    const found = await rows
      .selectFrom('requirement_coverage')
      .select(['requirement_id', 'own', 'state', 'failing', 'suspect', 'flaky'])
      .where('requirement_id', 'in', chunk)
      .execute()
    for (const { requirement_id, own, ...rolled } of found) {
      stored.set(requirement_id, {
        // Only refreshCoverage writes this column.
        ...readOwnJson<CoverageBody>(own),
        state: CoverageState.parse(rolled.state),
        failing: rolled.failing === 1,
        suspect: rolled.suspect === 1,
        flaky: rolled.flaky === 1,
      })
    }
  }
  return stored
}

interface Node {
  id: string
  parent_id: string
  kind: string
  status: string
  normative: number
  acceptance_criteria: string
}

/** The coverage of the requirements and their descendants, computed from their links. */
async function scopedCoverage(
  rows: Rows,
  product: CoveredProduct,
  requirementIds: readonly string[],
  now: number,
  scope: CoverageScope,
): Promise<Map<string, Shown>> {
  const nodes = await subtrees(rows, requirementIds)
  const links = new Map<string, CountedLink[]>()
  for (const chunk of chunks([...nodes.keys()])) {
    for (const [id, facts] of await countedLinks(rows, chunk, { ...scope, now })) links.set(id, facts)
  }
  const tree = [...nodes.values()].map((node) => ({
    id: node.id,
    parentId: node.parent_id,
    isGroup: node.kind === 'REQUIREMENT_KIND_GROUP',
    isDemanded: node.normative === 1 && node.status !== 'REQUIREMENT_STATUS_DEPRECATED',
    criterionIds: readCriterionIds(node.acceptance_criteria),
    links: links.get(node.id) ?? [],
  }))
  return coverTree(tree, { maxAgeMs: maxResultAgeMs(product.gate_policy), now })
}

async function subtrees(rows: Rows, requirementIds: readonly string[]): Promise<Map<string, Node>> {
  const nodes = new Map<string, Node>()
  for (const chunk of chunks(requirementIds)) {
    const { rows: found } = await sql<Node>`
      WITH RECURSIVE below (id) AS (
        SELECT id FROM requirement WHERE id IN (${sql.join(chunk)}) AND deleted_at IS NULL
        UNION
        SELECT requirement.id FROM below JOIN requirement ON requirement.parent_id = below.id
        WHERE requirement.deleted_at IS NULL AND requirement.parent_id <> ''
      )
      SELECT id, parent_id, kind, status, normative, acceptance_criteria FROM requirement WHERE id IN (SELECT id FROM below)
    `.execute(rows)
    for (const node of found) nodes.set(node.id, node)
  }
  return nodes
}
