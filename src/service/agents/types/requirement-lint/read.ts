import * as z from 'zod'
import { Priority } from '../../../../contract/base/common.ts'
import { RequirementKind, RequirementStatus } from '../../../../contract/requirements.ts'
import { notFound } from '../../../../errors.ts'
import { readChanges, type Change } from '../../../branches/changes.ts'
import type { StoredBranch } from '../../../branches/store/branches.ts'
import { requirementKey, requirementNumber } from '../../../quality/keys.ts'
import { Criteria } from '../../../quality/requirements/columns.ts'
import type { Rows } from '../../../sql/database.ts'
import { readJson } from '../../../sql/json.ts'

const Wording = z.object({
  kind: RequirementKind,
  status: RequirementStatus,
  normative: z.boolean(),
  priority: Priority,
  title: z.string(),
  statement: z.string(),
  acceptance_criteria: Criteria,
})

/** A requirement as it is worded on the main tree or on a branch. */
export type Worded = z.output<typeof Wording> & {
  id: string
  /** Negative for one that the branch creates. */
  number: number
}

/**
 * The requirements of a product by number, those of the branch last: only what is in use and demands something. A branch
 * is laid over them member by member, without the transaction that replays it, because a scan takes too long for one.
 */
export async function readWorded(rows: Rows, productId: number, branch: StoredBranch | undefined): Promise<Worded[]> {
  const main = await readMain(rows, productId)
  const all = branch === undefined ? main : overlay(main, await readChanges(rows, branch.id))
  return all.filter(isInUse).toSorted(byNumber)
}

async function readMain(rows: Rows, productId: number): Promise<Worded[]> {
  const found = await rows
    .selectFrom('requirement')
    .select(['id', 'number', 'kind', 'status', 'normative', 'priority', 'title', 'statement', 'acceptance_criteria'])
    .where('product_id', '=', productId)
    .where('deleted_at', 'is', null)
    .execute()
  return found.map(({ id, number, kind, status, priority, ...row }) => ({
    id,
    number,
    kind: RequirementKind.parse(kind),
    status: RequirementStatus.parse(status),
    priority: Priority.parse(priority),
    normative: row.normative === 1,
    title: row.title,
    statement: row.statement,
    acceptance_criteria: readJson(Criteria, row.acceptance_criteria),
  }))
}

function overlay(main: readonly Worded[], changes: readonly Change[]): Worded[] {
  const byId = new Map(main.map((one) => [one.id, one]))
  for (const { entityType, entityId: id, operation, fields, provisionalNumber } of changes) {
    if (entityType !== 'requirement') continue
    const before = byId.get(id)
    if (operation === 'CHANGE_OPERATION_DELETE') byId.delete(id)
    else if (operation === 'CHANGE_OPERATION_CREATE')
      byId.set(id, { ...Wording.parse(fields), id, number: -provisionalNumber })
    else if (before !== undefined) byId.set(id, { ...before, ...Wording.partial().parse(fields) })
  }
  return [...byId.values()]
}

function isInUse({ kind, status, normative }: Worded): boolean {
  return kind !== 'REQUIREMENT_KIND_GROUP' && status !== 'REQUIREMENT_STATUS_DEPRECATED' && normative
}

function byNumber(one: Worded, other: Worded): number {
  return Number(one.number < 0) - Number(other.number < 0) || Math.abs(one.number) - Math.abs(other.number)
}

/** The ids of the requirements with those keys; `not_found` names one that is not among those in use. */
export function findByKeys(all: readonly Worded[], keys: readonly string[]): Set<string> {
  const byKey = new Map(all.map((one) => [one.number, one.id]))
  return new Set(
    keys.map((key) => {
      const id = byKey.get(requirementNumber(key))
      if (id !== undefined) return id
      throw notFound('requirement', key, 'only requirements that are in use and no groups are scanned')
    }),
  )
}

/** The requirement as outputs name it. */
export function nameRequirement(requirement: Worded): { id: string; key: string; title: string } {
  return { id: requirement.id, key: requirementKey(requirement), title: requirement.title }
}
