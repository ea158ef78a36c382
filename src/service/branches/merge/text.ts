import { diff3Merge, diff3MergeRegions, type MergeRegion } from 'node-diff3'

/**
 * Texts and lists in which lines recur more often are compared as a whole: the comparison visits every pair of equal lines.
 */
const MOST_PAIRS = 10_000

interface Texts {
  base: string
  main: string
  branch: string
}

const MARKS = { main: '<<<<<<< main', middle: '=======', branch: '>>>>>>> branch' }

/** Merges texts line by line (diff3). Where both sides changed the same lines, `text` has both between markers. */
export function mergeTexts({ base, main, branch }: Texts): { text: string; overlaps: boolean } {
  const sides = [main, base, branch].map((text) => text.split('\n')) as [string[], string[], string[]]
  const [ours, , theirs] = sides
  const whole: MergeRegion<string> = { conflict: { a: ours, aIndex: 0, o: [], oIndex: 0, b: theirs, bIndex: 0 } }
  const regions = isLong(sides) ? [whole] : diff3Merge<string>(...sides)
  const lines = regions.flatMap(({ ok = [], conflict }) =>
    conflict === undefined ? ok : [MARKS.main, ...conflict.a, MARKS.middle, ...conflict.b, MARKS.branch],
  )
  return { text: lines.join('\n'), overlaps: regions.some(({ conflict }) => conflict !== undefined) }
}

/** Whether a text still has the markers of an overlap. */
export function hasMarks(text: string): boolean {
  const lines = text.split('\n')
  return lines.includes(MARKS.main) && lines.includes(MARKS.branch)
}

/** Merges lists as diff3 merges lines; undefined where both sides changed the same place. */
export function mergeLists(base: string[], main: string[], branch: string[]): string[] | undefined {
  if (isLong([main, base, branch])) return undefined
  const regions = diff3Merge<string>(main, base, branch)
  return regions.some(({ conflict }) => conflict !== undefined) ? undefined : regions.flatMap(({ ok = [] }) => ok)
}

/**
 * The order of a merged list without repetitions: what both sides added at one place stays together, main's first.
 */
export function mergeOrder(base: string[], main: string[], branch: string[]): string[] {
  if (isLong([main, base, branch])) return [...new Set([...main, ...branch])]
  const regions = diff3MergeRegions(main, base, branch)
  const merged = regions.flatMap((region) =>
    region.stable ? region.bufferContent : [...region.aContent, ...region.bContent],
  )
  return [...new Set([...merged, ...main, ...branch])]
}

function isLong([main, base, branch]: readonly [readonly string[], readonly string[], readonly string[]]): boolean {
  const [ours, its, theirs] = [count(main), count(base), count(branch)]
  let pairs = 0
  for (const [line, times] of its) pairs += times * ((ours.get(line) ?? 0) + (theirs.get(line) ?? 0))
  return pairs > MOST_PAIRS
}

function count(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1)
  return counts
}
