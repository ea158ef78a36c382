import { LRUCache } from 'lru-cache'

/** The workspaces of a caller's last list, by which the next call asks for their products before the list has answered. */
export interface SeenWorkspaces {
  ids: readonly string[]
}

const CALLERS_KEPT = 10_000
/** More than most tokens see. */
const MOST_IDS = 20

/** What each caller has seen, by the hash of its token; the one that was idle longest is forgotten first. */
export function createSeenWorkspaces(): (caller: string) => SeenWorkspaces {
  const all = new LRUCache<string, SeenWorkspaces>({ max: CALLERS_KEPT })
  return (caller) => {
    const seen = all.get(caller) ?? { ids: [] }
    all.set(caller, seen)
    return seen
  }
}

export function noteWorkspaces(seen: SeenWorkspaces | undefined, workspaces: readonly { id: string }[]): void {
  if (seen !== undefined) seen.ids = workspaces.slice(0, MOST_IDS).map(({ id }) => id)
}
