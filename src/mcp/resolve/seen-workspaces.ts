import { LRUCache } from 'lru-cache'

/** The workspaces that a caller last saw. Its next call requests their products without waiting for the list of workspaces. */
export interface SeenWorkspaces {
  ids: readonly string[]
}

const CALLERS_KEPT = 10_000
/** More than most tokens see. */
const MOST_IDS = 20

/** What each caller has seen, by the hash of its token; the caller that was idle longest is forgotten first. */
export function createSeenWorkspaces(): (caller: string) => SeenWorkspaces {
  const all = new LRUCache<string, SeenWorkspaces>({ max: CALLERS_KEPT, memoMethod: () => ({ ids: [] }) })
  return (caller) => all.memo(caller)
}

/** Replaces what a caller has seen; without a caller nothing is kept. */
export function noteWorkspaces(seen: SeenWorkspaces | undefined, workspaces: readonly { id: string }[]): void {
  if (seen !== undefined) seen.ids = workspaces.slice(0, MOST_IDS).map(({ id }) => id)
}
