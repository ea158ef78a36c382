import type { RequestOf } from '../../../src/contract/index.ts'
import { counted } from '../../../src/lib/counted.ts'
import { explainNotOffered } from '../../../src/mcp/resolve/offered.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import { nextCall } from '../../../src/mcp/result/next-action.ts'
import { TeachingError } from '../../../src/mcp/result/teach.ts'
import { keyOrId } from '../columns.ts'
import { explainNotComputed } from './not-computed.ts'
import type { GateScope } from './scope.ts'
import type { Verdict } from './verdict.ts'

type Condition = NonNullable<Verdict['conditions']>[number]
type Item = NonNullable<Condition['evidence']>[number]

/** What a person would take the risk of: all failing items of a condition, or one item. */
export interface Blocker {
  /** The condition's id or the item's key: what the person types. */
  key: string
  /** `condition failing_tests` or `REQ-12`. */
  words: string
  conditions: readonly Condition[]
  items: readonly Item[]
  /** Of the items; a verdict lists 20 of them. */
  total: number | undefined
  request: Pick<RequestOf<'acceptRisk'>, 'condition_ids' | 'requirement_ids' | 'issue_ids' | 'test_ids'>
}

/** The newest verdict of the scope. Rejects with the call that computes one where there is none. */
export async function readVerdict(scope: GateScope, { api, signal }: Context): Promise<Verdict> {
  const { verdict } = await api
    .getGate(scope.request, { signal })
    .catch(explainNotComputed(scope))
    .catch(explainNotOffered('the quality gate', { hint: 'ask the user to decide in the web interface.' }))
  return verdict
}

/** The failing condition or item that the name means. Throws an error that lists the blockers. */
export function findBlocker(verdict: Verdict, named: string, { args }: GateScope): Blocker {
  const failing = (verdict.conditions ?? []).filter(({ status }) => status === 'CONDITION_STATUS_FAIL')
  const wanted = named.trim().toLowerCase()
  const condition = failing.find(({ id }) => id.toLowerCase() === wanted)
  if (condition !== undefined) {
    const { evidence = [], evidence_total: total, id } = condition
    const words = `condition ${id}`
    return { key: id, words, conditions: [condition], items: evidence, total, request: { condition_ids: [id] } }
  }
  const holders = failing.filter(({ evidence = [] }) => evidence.some((item) => isNamed(item, wanted)))
  const item = holders[0]?.evidence?.find((one) => isNamed(one, wanted))
  if (item === undefined) throw noBlocker(failing, named, args)
  const key = keyOrId(item)
  return { key, words: key, conditions: holders, items: [item], total: 1, request: itemRequest(item, failing) }
}

/** Whether these words are the key or the id of the item, in any case. */
export function isNamed(item: Item, words: string): boolean {
  const wanted = words.toLowerCase()
  return keyOrId(item).toLowerCase() === wanted || item.id.toLowerCase() === wanted
}

/** What the risk covers of the items that the verdict lists. */
export function coveredItems(
  { conditions = [] }: Verdict,
  { covered_evidence: covered = [] }: NonNullable<Verdict['risks']>[number],
): Item[] {
  const listed = conditions.flatMap(({ evidence = [] }) => evidence)
  const items = covered.map(({ type, id }) => listed.find((item) => item.type === type && item.id === id))
  return items.filter((item) => item !== undefined)
}

function itemRequest({ type, id }: Item, failing: readonly Condition[]): Blocker['request'] {
  if (type === 'requirement') return { requirement_ids: [id] }
  if (type === 'test') return { test_ids: [id] }
  if (type === 'issue') return { issue_ids: [id] }
  const holders = failing.filter(({ evidence = [] }) => evidence.some((item) => item.id === id))
  throw new TeachingError('invalid_argument', 'links and exclusions are accepted with their condition', {
    expected: `blocker: ${holders.map((condition) => condition.id).join(' | ')}`,
  })
}

function noBlocker(failing: readonly Condition[], named: string, args: GateScope['args']): TeachingError {
  const ids = failing.map(({ id }) => id)
  const next = nextCall('compute_quality_gate', args, 'lists the blockers')
  return new TeachingError('not_found', 'this is no blocker of the newest verdict of this scope', {
    sent: `blocker = ${JSON.stringify(named.slice(0, 60))}`,
    expected:
      ids.length === 0
        ? 'nothing fails in this verdict'
        : `blocker: ${ids.join(' | ')}, or the key of an item that they list`,
    next,
  })
}

/** `REQ-3, REQ-7 and 3 more`. */
export function itemWords({ items, total }: Pick<Blocker, 'items' | 'total'>): string {
  const shown = items.slice(0, 10).map(keyOrId)
  const rest = (total ?? items.length) - shown.length
  if (shown.length === 0) return total === undefined ? 'not stated' : counted(total, 'item')
  return `${shown.join(', ')}${rest > 0 ? ` and ${String(rest)} more` : ''}`
}

/**
 * Changes whenever what fails in these conditions does. Another risk that is accepted meanwhile, or another condition, does
 * not make a person decide again.
 */
export function failingState(conditions: readonly Condition[]) {
  return conditions.map((one) => [one.id, one.status, one.message, (one.evidence ?? []).map((item) => item.id)])
}
