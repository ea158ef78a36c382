/** Longest cycle of calls that counts as recursion: `a b c d a b c d` is `a b c d`. */
export const LONGEST_CYCLE = 4

/**
 * The positions of a stack that only repeat what precedes them, so that the depth of a recursion does not count. `keys`
 * identify the frames, oldest first; a `longestCycle` of 1 detects only direct recursion.
 */
export function recursiveFrames(keys: readonly (string | number)[], longestCycle = LONGEST_CYCLE): Set<number> {
  const repeated = new Set<number>()
  const kept: number[] = []
  for (let index = 0; index < keys.length; index += 1) {
    kept.push(index)
    const cycle = endingCycle(keys, kept, longestCycle)
    for (let left = cycle; left > 0; left -= 1) repeated.add(kept.pop()!)
  }
  return repeated
}

/** Length of the shortest block at the end of `kept` that the block before it equals; 0 without one. */
function endingCycle(keys: readonly (string | number)[], kept: readonly number[], longest: number): number {
  for (let length = 1; length <= longest && 2 * length <= kept.length; length += 1) {
    const start = kept.length - length
    let same = 0
    while (same < length && keys[kept[start + same]!] === keys[kept[start + same - length]!]) same += 1
    if (same === length) return length
  }
  return 0
}

/** What a frame says of its place. */
interface Place {
  hasLine: boolean
  /** A file or a module. */
  hasFile: boolean
  /** Of the function. */
  hasName: boolean
}

/** Whether two frames that say the same are of one place: without a line only a function of a file or module is one. */
export function isPlaced({ hasLine, hasFile, hasName }: Place): boolean {
  return hasLine || (hasFile && hasName)
}
