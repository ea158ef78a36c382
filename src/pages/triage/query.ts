import { IssueStatus, Period } from '../../contract/base/common.ts'
import { queryMembers } from '../support/address.ts'

/** What the board shows, as its address says it. Names and ids are those that find_error_issues takes. */
export interface BoardQuery {
  status: Status
  sort: Sort
  period: (typeof Period.options)[number] | undefined
  match: string | undefined
  environment: string | undefined
  release: string | undefined
  component: string | undefined
  /** The key of the only issue to show, SHOP-31. */
  issue: string | undefined
  /** The token of a page after the first. */
  page: string | undefined
}

export const statuses = [...IssueStatus.options, 'any'] as const
type Status = (typeof statuses)[number]

export const sorts = { last_seen: 'Last seen', first_seen: 'First seen', times_seen: 'Most events' } as const
export type Sort = keyof typeof sorts

const names = ['status', 'sort', 'period', 'match', 'environment', 'release', 'component', 'issue', 'page'] as const

/** A choice that does not exist is the usual one, which the form then shows as chosen. */
export function boardQuery(parameters: URLSearchParams): BoardQuery {
  const { status, sort, period, match, environment, release, component, issue, page } = queryMembers(parameters, names)
  return {
    status: statuses.find((one) => one === status) ?? (issue === undefined ? 'unresolved' : 'any'),
    sort: (Object.keys(sorts) as Sort[]).find((one) => one === sort) ?? 'last_seen',
    period: Period.options.find((one) => one === period),
    match: match?.slice(0, 200),
    environment,
    release,
    component,
    issue,
    page,
  }
}
