/** Something that is created or moved, and where to. */
export interface Placed {
  id: string
  /** The parent that it gets; undefined if it stays where it is. */
  parentId: string | undefined
}

/**
 * The order in which things can be created and moved: each after what will be above it. `inCycle` are those that would be
 * below themselves, because others were moved meanwhile: they stay where they are. `presentParent` is the present parent.
 */
export function topDown<P extends Placed>(
  placed: readonly P[],
  presentParent: (id: string) => string,
): { ordered: P[]; inCycle: Set<string> } {
  const targets = new Map(placed.map(({ id, parentId }) => [id, parentId]))
  const above = (id: string) => targets.get(id) ?? presentParent(id)
  const inCycle = new Set<string>()
  const depths = new Map<string, number>()
  for (const { id } of placed) {
    const seen = new Set<string>()
    for (let next = above(id); next !== '' && !seen.has(next); next = above(next)) {
      seen.add(next)
      if (next === id) inCycle.add(id)
    }
    depths.set(id, seen.size)
  }
  const ordered = placed.toSorted((a, b) => (depths.get(a.id) ?? 0) - (depths.get(b.id) ?? 0))
  return { ordered, inCycle }
}
