import type { Grouping } from './index.ts'

type Hashes = Pick<Grouping, 'hash' | 'other_hashes' | 'loose_hashes'>

/**
 * Finds what an event's hashes lead to; `find` looks up one hash. The hash itself and the other hashes always count; a
 * loose one counts only while no event with the same knowledge has claimed it (decision 014).
 */
export async function findByHashes<T>(
  grouping: Hashes,
  find: (hash: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  for (const hash of [grouping.hash, ...grouping.other_hashes]) {
    const found = await find(hash)
    if (found !== undefined) return found
  }
  for (const { hash, unless } of grouping.loose_hashes) {
    const found = await find(hash)
    if (found !== undefined && !(await leadsSomewhere(unless, find))) return found
  }
  return undefined
}

/** Whether one of the hashes does. */
async function leadsSomewhere(hashes: readonly string[], find: (hash: string) => Promise<unknown>): Promise<boolean> {
  for (const hash of hashes) if ((await find(hash)) !== undefined) return true
  return false
}

/**
 * Attaches an event's hashes to its issue. `insert` keeps the first writer and returns whether the hash is new. Loose
 * hashes are attached with the first event of a hash only, so that values which differ in every event do not add rows
 * forever.
 */
export async function attachHashes(grouping: Hashes, insert: (hash: string) => Promise<boolean>): Promise<void> {
  const isNew = await insert(grouping.hash)
  for (const hash of grouping.other_hashes) await insert(hash)
  if (!isNew) return
  for (const { hash, unless } of grouping.loose_hashes) for (const each of [hash, ...unless]) await insert(each)
}
