import { pagePath, queryMembers, type Query } from '../support/address.ts'

/** What the page shows, as its query says it: ids or names, the same that the tools of the gate take. */
const scopeNames = ['product', 'release', 'environment', 'commit', 'git_branch'] as const
export type ScopeQuery = Partial<Record<(typeof scopeNames)[number], string>>

/** Path and query of the gate of a scope, with what else is asked for. */
export function gatePath(query: Query): string {
  return pagePath('/gate', query)
}

/** The members of a query that name a scope. */
export function scopeQuery(parameters: URLSearchParams): ScopeQuery {
  return queryMembers(parameters, scopeNames)
}
