/** A place where the stacks of an occurrence and of others part. */
interface Parting {
  name: string
  value: string
}

const MOST_PARTINGS = 3
const END = 'nothing: it is the first own frame'

interface NamedFrame {
  function?: string
  filename?: string
  lineno?: number
}

/** The frames of a stack by name, the one that crashed first; `frames` are caller first. */
export function stackNames(frames: readonly NamedFrame[]): string[] {
  return frames.toReversed().map(frameName)
}

/** `chargeCard payment.ts:31` */
export function frameName({ function: name = '?', filename = '', lineno = 0 }: NamedFrame): string {
  return `${name} ${filename.split('/').at(-1) ?? ''}:${String(lineno)}`
}

/**
 * Where stacks part, for each of them: the first frame in which they differ, seen from the crash, and the same again among
 * those that take the most frequent way. A list without an item has nothing to say.
 */
export function partStacks(stacks: readonly (readonly string[])[]): Parting[][] {
  const partings: Parting[][] = stacks.map(() => [])
  let group = Array.from(stacks.keys()).filter((place) => (stacks[place] ?? []).length > 0)
  for (let turn = 0; turn < MOST_PARTINGS; turn += 1) {
    const depth = commonDepth(group.map((place) => stacks[place] ?? []))
    if (depth === undefined) break
    const before = stacks[group[0] ?? 0]?.[depth - 1]
    const name = before === undefined ? 'crash in' : `caller of ${before}`
    const ways = Map.groupBy(group, (place) => stacks[place]?.[depth] ?? END)
    for (const [value, places] of ways) for (const place of places) partings[place]?.push({ name, value })
    group = [...ways.values()].toSorted((one, other) => other.length - one.length)[0] ?? []
  }
  return partings
}

/** How many frames all stacks share, from the crash; undefined when they are equal. */
function commonDepth(stacks: readonly (readonly string[])[]): number | undefined {
  const longest = Math.max(0, ...stacks.map((stack) => stack.length))
  for (let depth = 0; depth < longest; depth += 1) {
    if (stacks.some((stack) => stack[depth] !== stacks[0]?.[depth])) return depth
  }
  return undefined
}
