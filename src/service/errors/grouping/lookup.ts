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

/** All hashes that may be attached to the issue of an event. */
export function allHashes({ hash, other_hashes: others, loose_hashes: loose }: Hashes): string[] {
  return [hash, ...others, ...claimedLoosely(loose)]
}

function claimedLoosely(loose: Hashes['loose_hashes']): string[] {
  return loose.flatMap(({ hash, unless }) => [hash, ...unless])
}

/** Whether one of the hashes does. */
async function leadsSomewhere(hashes: readonly string[], find: (hash: string) => Promise<unknown>): Promise<boolean> {
  for (const hash of hashes) if ((await find(hash)) !== undefined) return true
  return false
}

/**
 * Attaches an event's hashes to its issue. `insert` keeps the first writer of each, and resolves to the hashes that are new.
 * Loose hashes are attached with the first event of a hash only, so that values which differ in every event do not add rows
 * forever.
 */
export async function attachHashes(
  grouping: Hashes,
  insert: (hashes: readonly string[]) => Promise<readonly string[]>,
): Promise<void> {
  const { hash, other_hashes: others, loose_hashes: loose } = grouping
  const added = await insert([...new Set([hash, ...others])])
  if (!added.includes(hash) || loose.length === 0) return
  await insert([...new Set(claimedLoosely(loose))])
}
