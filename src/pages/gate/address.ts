/** What the page shows, as its query says it: ids or names, the same that the tools of the gate take. */
export const scopeNames = ['product', 'release', 'environment', 'commit', 'git_branch'] as const
export type ScopeQuery = Partial<Record<(typeof scopeNames)[number], string>>

/** Path and query of the gate of a scope, with what else is asked for; empty members are left out. */
export function gatePath(query: Readonly<Record<string, string | undefined>>): string {
  const entries = Object.entries(query).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
  )
  const text = new URLSearchParams(entries).toString()
  return text === '' ? '/gate' : `/gate?${text}`
}

/** The members of a query that name a scope. */
export function scopeQuery(parameters: URLSearchParams): ScopeQuery {
  return Object.fromEntries(
    scopeNames.flatMap((name) => {
      const value = parameters.get(name)?.trim()
      return value === undefined || value === '' ? [] : [[name, value]]
    }),
  )
}
