import { counted } from '../../../src/lib/counted.ts'
import { stateDigest } from '../../../src/mcp/confirm/state.ts'
import type { Question } from '../../../src/mcp/define/define.ts'
import { describeValue } from '../../../src/mcp/result/teach.ts'
import { displayName, selectChanging, type IssueRow } from '../errors/issue-status.ts'
import type { StatusRequest } from '../errors/status-request.ts'

const verbs = { resolved: 'Resolve', ignored: 'Ignore', unresolved: 'Reopen' } as const

export interface StatusChange {
  /** As they are now; those that would not change are left out. */
  rows: readonly IssueRow[]
  request: StatusRequest
  /** As the caller wrote them. */
  fixedIn: string | undefined
  ignoreUntil: string | undefined
  product: Question['product']
}

/** What a person is asked before the status of many issues changes. Titles are outsiders' text, so there are only keys. */
export function statusQuestion({ rows: all, request, fixedIn, ignoreUntil, product }: StatusChange): Question {
  const rows = selectChanging(all)
  const vouching = rows.filter(({ vouches }) => vouches === true)
  const verb =
    vouching.length === 0 ? verbs[request.status] : vouching.length < rows.length ? 'Reopen or vouch for' : 'Vouch for'
  const asks = `${verb} ${counted(rows.length, 'error issue')}`
  const before = beforeWords(rows)
  return {
    asks,
    product: product ?? onlyProduct(rows),
    facts: [
      { label: 'issues', value: rows.map(displayName).join(', ') },
      { label: 'status now', value: before },
      { label: 'status then', value: request.status },
      ...(vouching.length === 0 ? [] : [{ label: 'effect', value: 'they can fail the quality gate' }]),
      ...(fixedIn === undefined ? [] : [{ label: 'fixed in', value: describeValue(fixedIn) }]),
      ...(ignoreUntil === undefined ? [] : [{ label: 'ignored until', value: describeValue(ignoreUntil) }]),
    ],
    key: asks,
    undo: `the same tool sets them back: ${before}${vouching.length === 0 ? '' : '; vouching cannot be undone'}`,
    state: stateDigest(rows.map(({ id, before: issue }) => [id, issue?.status, issue?.fixed_in, issue?.ignore_until])),
  }
}

function beforeWords(rows: readonly IssueRow[]): string {
  const counts = Map.groupBy(rows, ({ from }) => from ?? 'not stated')
  return [...counts].map(([status, group]) => `${String(group.length)} ${status}`).join(', ')
}

function onlyProduct(rows: readonly IssueRow[]): Question['product'] {
  const [id, ...others] = new Set(rows.map(({ productId }) => productId))
  return id === undefined || others.length > 0 ? undefined : { id }
}
