import { createHash } from 'node:crypto'
import { sql, type SqlBool } from 'kysely'
import { CoverageState } from '../../../contract/base/common.ts'
import { GapType } from '../../../contract/test-context.ts'
import { countedLinks, readCriterionIds } from '../coverage/links.ts'
import { chunks } from '../../sql/chunks.ts'
import { maxResultAgeMs } from '../coverage/policy.ts'
import { judgeCoverage, type CountedLink, type CoverageStateName } from '../coverage/rule.ts'
import type { CoveredProduct } from '../coverage/read.ts'
import type { Rows } from '../../sql/database.ts'
import type { Exposure, GapQuery } from './exposure.ts'
import { readExposures, type Exposures } from './exposures.ts'
import { exposureScore, gapScore, UNCLAIMED_RISK, type GapTypeName } from './score.ts'
import { readTexts } from '../../sql/json.ts'

/** A gap with the data that order and filters need; the rest of what a page shows is read later. */
export interface ScannedGap {
  type: GapTypeName
  /** Undefined for a hot file that no requirement claims. */
  requirementId: string | undefined
  /** The number in the requirement's key; Infinity for files, which come after all requirements. */
  number: number
  state: CoverageStateName | null
  componentIds: readonly string[]
  /** The hot file; '' for a requirement. */
  path: string
  risk: number
  exposure: Exposure
  exposureScore: number
  score: number
}

/**
 * Every gap of a product in list order (contract §9.1): by descending score, then by the key's number, files by path.
 * There is one per requirement, judged by its own links, and one per file that occurs in errors and that no requirement
 * claims.
 */
export async function scanGaps(rows: Rows, product: CoveredProduct, query: GapQuery): Promise<ScannedGap[]> {
  const exposures = await readExposures(rows, product.id, query)
  const open =
    query.environmentId === undefined
      ? await readOpenGaps(rows, product, query)
      : await judgedGaps(rows, product, query)
  const gaps = open.map((gap): ScannedGap => {
    const exposure = exposures.find(gap.id, gap.componentIds)
    const { id: requirementId, ...facts } = gap
    return { ...facts, ...scored(gap.type, gap.risk, exposure), requirementId, path: '' }
  })
  const files = exposures.hotFiles.map(viewHotFile)
  return [...gaps, ...files].toSorted((a, b) => b.score - a.score || a.number - b.number || (a.path < b.path ? -1 : 1))
}

/** The id of a gap: the same type and subject have the same id in every scan. */
export function gapId({ type, requirementId, path }: Pick<ScannedGap, 'type' | 'requirementId' | 'path'>): string {
  return createHash('sha256')
    .update(`${type}\n${requirementId ?? path}`)
    .digest('hex')
    .slice(0, 32)
}

interface OpenGap {
  /** The id of the requirement. */
  id: string
  number: number
  type: GapTypeName
  state: CoverageStateName
  risk: number
  componentIds: readonly string[]
}

/** The gaps by the stored coverage. Coverage by results that have become too old since it was stored is judged now. */
export async function readOpenGaps(
  rows: Rows,
  product: CoveredProduct,
  query: Omit<GapQuery, 'window'>,
): Promise<OpenGap[]> {
  const found = await rows
    .selectFrom('requirement_coverage')
    .select(['requirement_id', 'number', 'gap_type', 'own_state', 'risk_score', 'component_ids', 'stale_at'])
    .where('product_id', '=', product.id)
    .where((eb) => eb.or([eb('gap_type', '<>', ''), eb('stale_at', '<=', query.now)]))
    .execute()
  const { stale = [], stored = [] } = Object.groupBy(found, ({ stale_at: at }) =>
    at !== null && at <= query.now ? 'stale' : 'stored',
  )
  const components = parsedOnce()
  const gaps = stored.map((row): OpenGap => ({
    id: row.requirement_id,
    number: row.number,
    type: GapType.parse(row.gap_type),
    state: CoverageState.parse(row.own_state),
    risk: row.risk_score,
    componentIds: components(row.component_ids),
  }))
  if (stale.length === 0) return gaps
  const staleIds = stale.map((row) => row.requirement_id)
  return [...gaps, ...(await judgedGaps(rows, product, query, staleIds))]
}

/** The gaps of all requirements or of `onlyIds`, judged now by the results of one environment or of all. */
async function judgedGaps(
  rows: Rows,
  product: CoveredProduct,
  { environmentId, now }: Omit<GapQuery, 'window'>,
  onlyIds?: readonly string[],
): Promise<OpenGap[]> {
  const demanded = await rows
    .selectFrom('requirement')
    .innerJoin('requirement_coverage as coverage', 'coverage.requirement_id', 'requirement.id')
    .select(['requirement.id', 'requirement.number', 'requirement.acceptance_criteria', 'requirement.component_ids'])
    .select('coverage.risk_score')
    .where(
      onlyIds === undefined
        ? sql<SqlBool>`requirement.product_id = ${product.id}`
        : rows.dialect.isOneOf('requirement.id', onlyIds),
    )
    .where('requirement.deleted_at', 'is', null)
    .where('requirement.normative', '=', 1)
    .where('requirement.status', '<>', 'REQUIREMENT_STATUS_DEPRECATED')
    .where('requirement.kind', '<>', 'REQUIREMENT_KIND_GROUP')
    .execute()
  const links = new Map<string, CountedLink[]>()
  for (const chunk of chunks(demanded.map(({ id }) => id))) {
    for (const [id, facts] of await countedLinks(rows, chunk, { environmentId, now })) links.set(id, facts)
  }
  const maxAgeMs = maxResultAgeMs(product.gate_policy)
  const components = parsedOnce()
  return demanded.flatMap((row): OpenGap[] => {
    const criterionIds = readCriterionIds(row.acceptance_criteria)
    const facts = { criterionIds, links: links.get(row.id) ?? [], maxAgeMs, now }
    const { gap, coverage } = judgeCoverage(facts)
    if (gap === '') return []
    const { id, number, risk_score, component_ids } = row
    return [{ id, number, type: gap, state: coverage.state, risk: risk_score, componentIds: components(component_ids) }]
  })
}

/** Parses each distinct list once: thousands of requirements share a few lists of components. */
function parsedOnce() {
  const known = new Map<string, readonly string[]>()
  return (json: string) => {
    const ids = known.get(json) ?? readTexts(json)
    known.set(json, ids)
    return ids
  }
}

function viewHotFile({ path, exposure }: Exposures['hotFiles'][number]): ScannedGap {
  const type = 'GAP_TYPE_UNCLAIMED_HOT_FILE'
  const components = new Set(exposure.matched.map(({ componentId }) => componentId).filter((id) => id !== ''))
  return {
    ...scored(type, UNCLAIMED_RISK, exposure),
    type,
    requirementId: undefined,
    number: Infinity,
    state: null,
    componentIds: [...components].toSorted(),
    path,
    risk: UNCLAIMED_RISK,
  }
}

function scored(type: GapTypeName, risk: number, exposure: Exposure) {
  const score = exposureScore(exposure.weighted)
  return { exposure, exposureScore: score, score: gapScore({ risk, type, exposure: score }) }
}
