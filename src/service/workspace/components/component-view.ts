import { sql, type Selectable } from 'kysely'
import type * as z from 'zod'
import { Component } from '../../../contract/components.ts'
import { countRecentEvents } from '../activity.ts'
import type { ViewTime } from '../../shared/view-time.ts'
import { computeEtag } from '../../shared/etag.ts'
import type { Rows } from '../../sql/database.ts'
import type { ComponentRow } from '../../sql/schema.ts'
import { dayMs, timestamp } from '../../shared/times.ts'
import { readJson, readTexts } from '../../sql/json.ts'

const { owners: Owners, criticality: Criticality } = Component.shape

/** The contract's components, with their counts of issues, events and requirements. */
export async function viewComponents(
  rows: Rows,
  time: ViewTime,
  components: readonly Selectable<ComponentRow>[],
): Promise<z.input<typeof Component>[]> {
  if (components.length === 0) return []
  const ids = components.map(({ id }) => id)
  const products = [...new Set(components.map(({ product_id }) => product_id))]
  // A server answers them at the same time.
  const [unresolved, events, covered] = await Promise.all([
    unresolvedIssues(rows, products, ids),
    countRecentEvents(rows, 'component', { ids, periodMs: 7 * dayMs, ...time }),
    readCoverage(rows, ids),
  ])
  return components.map((row) => ({
    id: row.id,
    product_id: String(row.product_id),
    parent_id: row.parent_id,
    name: row.name,
    slug: row.slug,
    description: row.description,
    path_globs: readTexts(row.path_globs),
    exclude_globs: readTexts(row.exclude_globs),
    owners: readJson(Owners, row.owners),
    criticality: Criticality.parse(row.criticality),
    position: row.position,
    tags: readTexts(row.tags),
    stats: {
      unresolved_issues: unresolved.get(row.id) ?? 0,
      events_7d: events.get(row.id) ?? 0,
      requirements: covered.get(row.id)?.requirements ?? 0,
      coverage_ratio: covered.get(row.id)?.ratio ?? 0,
    },
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
    etag: computeEtag(row.id, row.version),
  }))
}

/** The number of each component's requirements that count, and the share of them that is verified. */
async function readCoverage(rows: Rows, componentIds: readonly string[]) {
  const counts = await rows
    .selectFrom('requirement_component')
    .innerJoin('requirement_coverage as coverage', 'coverage.requirement_id', 'requirement_component.requirement_id')
    .select(['requirement_component.component_id', sql<number>`count(*)`.as('requirements')])
    .select(sql<number>`sum(CASE coverage.state WHEN 'verified' THEN 1 ELSE 0 END)`.as('verified'))
    .where('requirement_component.component_id', 'in', componentIds)
    .where('coverage.counts', '=', 1)
    .groupBy('requirement_component.component_id')
    .execute()
  return new Map(
    counts.map(({ component_id, requirements, verified }) => [
      component_id,
      { requirements, ratio: Math.round((verified / requirements) * 1000) / 1000 },
    ]),
  )
}

async function unresolvedIssues(
  rows: Rows,
  productIds: readonly number[],
  componentIds: readonly string[],
): Promise<Map<string, number>> {
  const counts = await rows
    .selectFrom('issue')
    .select(['component_id', sql<number>`count(*)`.as('issues')])
    .where('product_id', 'in', productIds)
    .where('component_id', 'in', componentIds)
    .where('status', '=', 'unresolved')
    .groupBy('component_id')
    .execute()
  return new Map(counts.map(({ component_id, issues }) => [component_id, issues]))
}
