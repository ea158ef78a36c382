import type * as z from 'zod'
import type { InputOf } from '../../../contract/index.ts'
import type { ConditionStatus } from '../../../contract/quality-gate/verdict.ts'
import { notFound, ServiceError } from '../../../errors.ts'
import { identity } from '../facts.ts'
import type { AcceptedItem, Item } from './stored.ts'

/** What a stored verdict says of one condition: every failing item, not only those that it lists. */
export interface JudgedCondition {
  id: string
  status: z.output<typeof ConditionStatus>
  items: readonly Item[]
}

/** The newest verdict of a scope, as far as accepting needs it. */
export interface JudgedVerdict {
  id: string
  conditions: readonly JudgedCondition[]
}

export type AcceptInput = Pick<InputOf<'acceptRisk'>, 'condition_ids' | 'requirement_ids' | 'issue_ids' | 'test_ids'>

export interface Selection {
  /** The conditions that the request names; without them those that list what is accepted. */
  conditionIds: readonly string[]
  /** The items that were named or renewed; empty where conditions are accepted whole. */
  named: readonly Item[]
  /** What is accepted. */
  items: readonly AcceptedItem[]
}

/** What is accepted besides the chosen items, of all that fails in the same conditions. */
type FindRelated = (found: { chosen: readonly Item[]; failing: readonly Item[] }) => Promise<readonly Item[]>

/**
 * The items that a request accepts (contract §7): the named items where they fail, in the named conditions or in every
 * condition; without named items everything that fails in the named conditions. Throws `NOTHING_TO_ACCEPT` for a condition
 * that holds and for an item that fails nowhere, `not_found` for a condition that the verdict does not have.
 */
export async function selectItems(
  verdict: JudgedVerdict,
  input: AcceptInput,
  { renewed = [], findRelated }: { renewed?: readonly Item[]; findRelated: FindRelated },
): Promise<Selection> {
  const conditions = failingConditions(verdict, input.condition_ids)
  const failing = distinct(conditions.flatMap(({ items }) => items))
  const named = namedItems(input)
  const isByItem = named.length > 0 || renewed.length > 0
  if (!isByItem && input.condition_ids === undefined) throw nothingNamed()
  const failingIds = new Set(failing.map(identity))
  const absent = named.find((item) => !failingIds.has(identity(item)))
  if (absent !== undefined) throw nothingToAccept(`${absent.type} ${absent.id} does not fail`, input)
  const stillFailing = renewed.filter((item) => failingIds.has(identity(item)))
  const taken = distinct([...named, ...stillFailing])
  const chosen = isByItem ? taken : failing
  if (chosen.length === 0) throw nothingToAccept('none of the items fails', input)
  const items = place(conditions, [...chosen, ...(await findRelated({ chosen, failing }))])
  const conditionIds = distinctTexts(input.condition_ids ?? items.flatMap((item) => item.condition_ids))
  return { conditionIds, named: taken, items }
}

/** Each item with the conditions that list it: it is not accepted where it fails later. */
function place(conditions: readonly JudgedCondition[], items: readonly Item[]): AcceptedItem[] {
  const places = new Map<string, string[]>()
  for (const { id, items: listed } of conditions) {
    for (const item of listed.map(identity)) places.set(item, [...(places.get(item) ?? []), id])
  }
  return distinct(items).map((item) => ({ ...item, condition_ids: distinctTexts(places.get(identity(item)) ?? []) }))
}

/** Items in an order that does not depend on how they were named. */
export function sorted<T extends Item>(items: readonly T[]): T[] {
  return items.toSorted((left, right) => (identity(left) < identity(right) ? -1 : 1))
}

/** Each item once. */
function distinct(items: readonly Item[]): Item[] {
  return [...new Map(items.map(({ type, id }) => [identity({ type, id }), { type, id }])).values()]
}

function failingConditions({ conditions }: JudgedVerdict, named: readonly string[] | undefined): JudgedCondition[] {
  const isFailing = ({ status }: JudgedCondition) =>
    status === 'CONDITION_STATUS_FAIL' || status === 'CONDITION_STATUS_WAIVED'
  if (named === undefined) return conditions.filter(isFailing)
  return named.map((id) => {
    const condition = conditions.find((one) => one.id === id)
    if (condition === undefined) throw notFound('condition', id, 'use an id of the verdict’s conditions')
    if (!isFailing(condition) || condition.items.length === 0)
      throw nothingToAccept(`the condition ${id} does not fail`)
    return condition
  })
}

function namedItems({ requirement_ids, issue_ids, test_ids }: AcceptInput): Item[] {
  const of = (type: Item['type'], ids: readonly string[] = []) => ids.map((id) => ({ type, id }))
  return distinct([...of('requirement', requirement_ids), ...of('issue', issue_ids), ...of('test', test_ids)])
}

function distinctTexts(texts: readonly string[]): string[] {
  return [...new Set(texts)].toSorted()
}

function nothingToAccept(what: string, { condition_ids: named }: Partial<AcceptInput> = {}): ServiceError {
  const where = named === undefined ? 'in the newest verdict of this scope' : `in ${named.join(', ')}`
  return new ServiceError('failed_precondition', `${what} ${where}; compute the gate and name what fails`, {
    reason: 'NOTHING_TO_ACCEPT',
  })
}

function nothingNamed(): ServiceError {
  const description = 'name what is accepted: condition_ids, requirement_ids, issue_ids, test_ids or renew_risk_id'
  return new ServiceError('invalid_argument', description, {
    reason: 'FIELD_INVALID',
    violations: [{ field: 'condition_ids', description }],
  })
}
