/** What one occurrence says: values by the name of what they are. A name may have several values. */
export type Facts = ReadonlyMap<string, readonly string[]>

export interface Occurrence {
  id: string
  facts: Facts
}

/** One value and in how many of the occurrences it is. */
export interface ValueCount {
  value: string
  count: number
  /** An occurrence that has it. */
  example: string
}

export interface Varying {
  /** Several when they divide the occurrences in the same way. */
  names: string[]
  /** The most frequent first. */
  values: ValueCount[]
  /** Occurrences without any value of this name. */
  without: number
  /** Nearly every occurrence has a value of its own: each of `values` stands for all that are written like it. */
  byShape?: true
}

export interface Variation {
  /** What all occurrences have in common. */
  same: { name: string; value: string }[]
  /** What differs, the most telling first. */
  varies: Varying[]
  /** Names with another value in nearly every occurrence, all written alike, such as ids. */
  distinct: { name: string; example: string }[]
}

/** A name with more values than this share of its occurrences has an id, an amount or a time as its value. */
const MOSTLY_DISTINCT = 0.6
const FEW = 5

/**
 * Compares occurrences by what each of them says; two or more are needed to tell anything. `weight` is how much a name
 * matters to whoever looks for the cause.
 */
export function compareOccurrences(
  occurrences: readonly Occurrence[],
  weight: (name: string) => number = () => 1,
): Variation {
  const variation: Variation = { same: [], varies: [], distinct: [] }
  const divisions = new Map<string, Varying>()
  for (const name of new Set(occurrences.flatMap(({ facts }) => [...facts.keys()]))) {
    const counted = countValues(name, occurrences)
    const known = divisions.get(counted.division)
    if (known === undefined) sortIn(name, counted, variation, (varying) => divisions.set(counted.division, varying))
    else known.names.push(name)
  }
  const rank = (varying: Varying) =>
    tells(varying, occurrences.length) * Math.max(...varying.names.map((name) => weight(name)))
  variation.varies.sort((one, other) => rank(other) - rank(one))
  return variation
}

interface Counted {
  values: ValueCount[]
  without: number
  /** Equal for names that divide the occurrences in the same way. */
  division: string
}

function sortIn(
  name: string,
  { values, without }: Omit<Counted, 'division'>,
  { same, varies, distinct }: Variation,
  remember: (varying: Varying) => void,
): void {
  const [first, ...others] = values
  if (first === undefined) return
  if (others.length === 0 && without === 0) return void same.push({ name, value: first.value })
  const having = values.reduce((sum, { count }) => sum + count, 0)
  const isDistinct = values.length > FEW && values.length > having * MOSTLY_DISTINCT
  const shapes = isDistinct ? countShapes(values) : values
  if (isDistinct && shapes.length === 1) return void distinct.push({ name, example: first.value })
  const varying: Varying = { names: [name], values: shapes, without, ...(isDistinct && { byShape: true }) }
  varies.push(varying)
  if (!isDistinct) remember(varying)
}

/** Counts values by how they are written: `12.50` and `7.25` are alike, `1,200.00` is not. */
function countShapes(values: readonly ValueCount[]): ValueCount[] {
  const shapes = new Map<string, ValueCount>()
  for (const each of values) {
    const shape = each.value.replaceAll(/\d+/g, '9').replaceAll(/\p{L}+/gu, 'a')
    const known = shapes.get(shape)
    if (known === undefined) shapes.set(shape, { ...each })
    else known.count += each.count
  }
  return [...shapes.values()].toSorted((one, other) => other.count - one.count)
}

function countValues(name: string, occurrences: readonly Occurrence[]): Counted {
  const counts = new Map<string, ValueCount>()
  const places = new Map<string, number>()
  let without = 0
  const division = occurrences.map(({ id, facts }) => {
    const values = new Set(facts.get(name))
    if (values.size === 0) without += 1
    return Array.from(values, (value) => {
      const known = counts.get(value) ?? { value, count: 0, example: id }
      known.count += 1
      counts.set(value, known)
      places.set(value, places.get(value) ?? places.size)
      return places.get(value)
    }).join(',')
  })
  const values = [...counts.values()]
  return {
    values: values.toSorted((one, other) => other.count - one.count),
    without,
    division: division.join(' '),
  }
}

/** Occurrences that differ from nearly all others are worth a look, however little information that is. */
const RARE = 0.1
const RARE_TELLS = 0.7

/**
 * How much the values of a name tell, from 0 on: the information that they hold about an occurrence (Shannon), divided by
 * what naming so many values costs the reader. Few values that divide the occurrences tell most.
 */
function tells({ values, without }: Varying, total: number): number {
  const shares = [...values.map(({ count }) => count), without].filter((count) => count > 0)
  const sum = shares.reduce((all, count) => all + count, 0)
  const information = shares.reduce((all, count) => all - (count / sum) * Math.log2(count / sum), 0)
  const rare = shares.length <= FEW && Math.min(...shares) <= sum * RARE ? RARE_TELLS : 0
  const present = Math.min(1, (total - without) / total + 0.5)
  return Math.max((information * present) / Math.log2(values.length + 2), rare)
}
