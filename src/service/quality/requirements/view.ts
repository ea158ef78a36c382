import { Priority, RiskLevel } from '../../../contract/base/common.ts'
import { RequirementKind, RequirementStatus } from '../../../contract/requirements.ts'
import { mapInTurns } from '../../../lib/turns-of-others.ts'
import { coverageFor } from '../coverage/read.ts'
import type { CoverageScope } from '../coverage/scope.ts'
import { computeEtag } from '../../shared/etag.ts'
import type { Rows } from '../../sql/database.ts'
import { timestamp } from '../../shared/times.ts'
import type { StoredRequirement } from './access.ts'
import { requirementKey } from '../keys.ts'
import type { StoredProduct } from '../../workspace/products.ts'
import { parseActor, CodeRefs, Criteria, ExternalRefs, LabelColumn, Source, type RequirementBody } from './columns.ts'
import { ancestorNumbers } from './tree.ts'
import { readJson, readTexts } from '../../sql/json.ts'

export interface RequirementViewing {
  /** Epoch milliseconds. */
  now: number
  /** Whether to leave out statement, rationale, criteria and code references. */
  basic?: boolean
  scope?: CoverageScope
}

/** Converts rows to the contract's requirements, in the same order, with their coverage. */
export async function viewRequirements(
  rows: Rows,
  product: Pick<StoredProduct, 'id' | 'gate_policy'>,
  requirements: readonly StoredRequirement[],
  { now, basic = false, scope }: RequirementViewing,
): Promise<RequirementBody[]> {
  const ids = requirements.map(({ id }) => id)
  const coverage = await coverageFor(rows, product, ids, now, scope)
  return mapInTurns(requirements, (row) => {
    const covered = coverage.get(row.id)
    if (covered === undefined) throw new Error('a requirement without stored coverage')
    return {
      id: row.id,
      key: requirementKey(row),
      product_id: String(row.product_id),
      branch_id: row.branch_id,
      parent_id: row.parent_id,
      position: row.position,
      path: ancestorNumbers(row.tree_path).map((number) => requirementKey({ number })),
      kind: RequirementKind.parse(row.kind),
      status: RequirementStatus.parse(row.status),
      title: row.title,
      statement: basic ? '' : row.statement,
      rationale: basic ? '' : row.rationale,
      normative: row.normative === 1,
      acceptance_criteria: basic ? [] : readJson(Criteria, row.acceptance_criteria),
      priority: Priority.parse(row.priority),
      risk: RiskLevel.parse(row.risk),
      tags: readTexts(row.tags),
      labels: readJson(LabelColumn, row.labels),
      component_ids: readTexts(row.component_ids),
      code_refs: basic ? [] : readJson(CodeRefs, row.code_refs),
      depends_on_ids: readTexts(row.depends_on_ids),
      superseded_by_id: row.superseded_by_id,
      external_refs: readJson(ExternalRefs, row.external_refs),
      source: readJson(Source, row.source),
      version: row.version,
      content_hash: row.content_hash,
      coverage: covered,
      created_by: parseActor(row.created_by),
      updated_by: parseActor(row.updated_by),
      created_at: timestamp(row.created_at),
      updated_at: timestamp(row.updated_at),
      etag: computeEtag(row.id, row.etag_version),
    }
  })
}

/** The requirement as a reference: id, key and title. */
export function requirementRef(row: Pick<StoredRequirement, 'id' | 'number' | 'title'>) {
  return { id: row.id, key: requirementKey(row), title: row.title }
}
