import type { Grouping } from './index.ts'

type Hashes = Pick<Grouping, 'hash' | 'other_hashes' | 'loose_hashes'>

/**
 * Finds what an event's hashes lead to; `find` looks up one hash. The hash itself and the other hashes always count; a
 * loose one counts only while no event with the same knowledge has claimed it (decision 014).
 */
export function findByHashes<T>(grouping: Hashes, find: (hash: string) => T | undefined): T | undefined {
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
 * Attaches an event's hashes to its issue. `insert` keeps the first writer and returns whether the hash is new. Loose
 * hashes are attached with the first event of a hash only, so that values which differ in every event do not add rows
 * forever.
 */
export function attachHashes(grouping: Hashes, insert: (hash: string) => boolean): void {
  const isNew = insert(grouping.hash)
  for (const hash of grouping.other_hashes) insert(hash)
  if (!isNew) return
  for (const { hash, unless } of grouping.loose_hashes) for (const each of [hash, ...unless]) insert(each)
}
