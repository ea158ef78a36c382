/** Makes something of each key once: occurrences share texts, frames and breadcrumbs. */
export function forEach<K, V extends {}>(make: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>()
  return (key) => {
    const value = made.get(key) ?? make(key)
    made.set(key, value)
    return value
  }
}
