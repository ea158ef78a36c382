/**
 * The items in groups that share no key, so that the groups may be handled concurrently. Each group has its items in their
 * order. An item without keys is a group of its own.
 */
export function inLanes<T>(items: readonly T[], keysOf: (item: T, index: number) => readonly string[]): T[][] {
  let lanes: { at: number[]; keys: Set<string> }[] = []
  for (const [index, item] of items.entries()) {
    const keys = new Set(keysOf(item, index))
    const shared = lanes.filter((lane) => !lane.keys.isDisjointFrom(keys))
    const at = [...shared.flatMap((lane) => lane.at), index]
    const all = shared.reduce((union, lane) => union.union(lane.keys), keys)
    lanes = [...lanes.filter((lane) => !shared.includes(lane)), { at, keys: all }]
  }
  return lanes.map(({ at }) => {
    const own = new Set(at)
    return items.filter((_, index) => own.has(index))
  })
}
