/** What the query of an address says; empty members are left out. */
export type Query = Readonly<Record<string, string | undefined>>

/** Path and query of a page. */
export function pagePath(path: string, query: Query): string {
  const entries = Object.entries(query).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
  )
  const text = new URLSearchParams(entries).toString()
  return text === '' ? path : `${path}?${text}`
}

/** The members of a query with these names, without blanks around them and without empty ones. */
export function queryMembers<const N extends string>(
  parameters: URLSearchParams,
  names: readonly N[],
): Partial<Record<N, string>> {
  const given = names.flatMap((name) => {
    const value = parameters.get(name)?.trim()
    return value === undefined || value === '' ? [] : [[name, value] as const]
  })
  // The entries have no other names.
  return Object.fromEntries(given) as Partial<Record<N, string>>
}
