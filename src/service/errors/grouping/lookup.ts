import type { Grouping } from './index.ts'

/**
 * What an event's hashes lead to: `find` answers a hash that is known. The hash itself and the other hashes always
 * lead; a loose one only while no event of the same knowledge has claimed it (decision 014).
 */
export function findByHashes<T>(grouping: Grouping, find: (hash: string) => T | undefined): T | undefined {
  for (const hash of [grouping.hash, ...grouping.other_hashes]) {
    const found = find(hash)
    if (found !== undefined) return found
  }
  for (const { hash, unless } of grouping.loose_hashes) {
    const found = find(hash)
    if (found !== undefined && unless.every((claim) => find(claim) === undefined)) return found
  }
  return undefined
}

/**
 * Attaches an event's hashes to its issue. `insert` keeps the first writer and answers whether the hash is new. Loose
 * hashes come with the first event of a hash, so that values which are new in every event do not add rows for ever.
 */
export function attachHashes(grouping: Grouping, insert: (hash: string) => boolean): void {
  const isNew = insert(grouping.hash)
  for (const hash of grouping.other_hashes) insert(hash)
  if (!isNew) return
  for (const { hash, unless } of grouping.loose_hashes) for (const each of [hash, ...unless]) insert(each)
}
