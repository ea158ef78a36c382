import { isIdOrTime, shape } from './shape.ts'

/** What one occurrence says: values by the name of what they are. A name may have several values. */
export type Facts = ReadonlyMap<string, readonly string[]>

export interface Occurrence {
  id: string
  facts: Facts
}

/** Values that are counted together, and in how many of the occurrences one of them is. */
export interface ValueCount {
  /** One value; several that are written alike, when there are few of them. */
  values: string[]
  /** `values` holds one example of a group of values that are written alike. */
  alike?: true
  count: number
  /** An occurrence that has one of them. */
  example: string
}

export interface Varying {
  name: string
  /** Other names that divide the occurrences in the same way. */
  also: string[]
  /** The most frequent first. */
  values: ValueCount[]
  /** Occurrences without any value of this name. */
  without: number
}

export interface Variation {
  /** What all occurrences have in common. */
  same: { name: string; value: string }[]
  /** What differs, the most telling first. */
  varies: Varying[]
  /** Names with another value in nearly every occurrence, such as ids, the most telling first; with all of the values. */
  distinct: { name: string; values: string[] }[]
}

/** A name with more values than this share of its occurrences has an id, an amount or a time as its value. */
const MOSTLY_DISTINCT = 0.6
const FEW = 5
/** Values that are written alike are all named when there are no more. */
const NAMED = 4

/**
 * Compares occurrences by what each of them says; two or more are needed to tell anything. `weight` is how much a name
 * matters to whoever looks for the cause.
 */
export function compareOccurrences(
  occurrences: readonly Occurrence[],
  weight: (name: string) => number = () => 1,
): Variation {
  const variation: Variation = { same: [], varies: [], distinct: [] }
  const divisions = new Map<string, { varying: Varying; rank: number }[]>()
  for (const [name, said] of byName(occurrences)) {
    const groups = countValues(said)
    const without = occurrences.length - said.length
    const [first] = groups
    if (first === undefined) continue
    if (isDistinct(groups, without)) variation.distinct.push({ name, values: distinctValues(said) })
    else if (groups.length === 1 && without === 0) variation.same.push({ name, value: first.values[0] ?? '' })
    else {
      const varying = { name, also: [], values: groups.map(withoutMembers), without }
      const rank = tells(varying, occurrences.length) * weight(name)
      const division = groups.map(({ members }) => members.join()).join(' ')
      divisions.set(division, [...(divisions.get(division) ?? []), { varying, rank }])
    }
  }
  variation.varies = mostTellingFirst(divisions.values())
  const worth = ({ name, values }: Variation['distinct'][number]) =>
    weight(name) * (values.every(isIdOrTime) ? ID_TELLS : 1)
  variation.distinct.sort((one, other) => worth(other) - worth(one))
  return variation
}

/** What one occurrence says under a name. */
interface Said {
  /** Its place in the list. */
  place: number
  id: string
  values: readonly string[]
}

function byName(occurrences: readonly Occurrence[]): ReadonlyMap<string, Said[]> {
  const all = new Map<string, Said[]>()
  for (const [place, { id, facts }] of occurrences.entries()) {
    for (const [name, values] of facts) {
      const said = all.get(name)
      if (said === undefined) all.set(name, [{ place, id, values }])
      else said.push({ place, id, values })
    }
  }
  return all
}

function distinctValues(said: readonly Said[]): string[] {
  return [...new Set(said.flatMap(({ values }) => values))]
}

/** One row for the names of a division, under the one that tells most. */
function mostTellingFirst(divisions: Iterable<{ varying: Varying; rank: number }[]>): Varying[] {
  return Array.from(divisions, (names) => names.toSorted((one, other) => other.rank - one.rank))
    .toSorted(([one], [other]) => (other?.rank ?? 0) - (one?.rank ?? 0))
    .flatMap(([first, ...others]) =>
      first === undefined ? [] : [{ ...first.varying, also: others.map(({ varying }) => varying.name) }],
    )
}

interface Group extends ValueCount {
  /** The positions of the occurrences in their list, ascending. */
  members: number[]
}

function withoutMembers({ values, alike, count, example }: Group): ValueCount {
  return { values, count, example, ...(alike && { alike }) }
}

function isDistinct(groups: readonly Group[], without: number): boolean {
  const [first, ...others] = groups
  if (others.length === 0) return first?.alike === true && without === 0
  if (groups.length <= FEW) return false
  const having = new Set(groups.flatMap(({ members }) => members)).size
  return groups.length > having * MOSTLY_DISTINCT
}

/** The values of a name, the most frequent first; many values of numbers, ids or texts by how they are written. */
function countValues(said: readonly Said[]): Group[] {
  const values = groupMembers(said, (value) => value)
  const isMostlyDistinct = values.length > said.length * MOSTLY_DISTINCT
  const withDigits = values.filter(({ values: [value = ''] }) => /\d/.test(value)).length
  if (values.length <= FEW || (!isMostlyDistinct && withDigits * 2 <= values.length)) return values
  const shapes = groupMembers(said, shape)
  // One way of writing them tells nothing about values that come again.
  return shapes.length <= FEW && (shapes.length > 1 || isMostlyDistinct) ? shapes : values
}

function groupMembers(said: readonly Said[], key: (value: string) => string): Group[] {
  const groups = new Map<string, Omit<Group, 'count'>>()
  for (const { place, id, values } of said) {
    for (const value of values) {
      const written = key(value)
      const group = groups.get(written)
      if (group === undefined) groups.set(written, { values: [value], example: id, members: [place] })
      else addMember(group, place, value)
    }
  }
  return Array.from(groups.values(), ({ values, ...group }): Group => {
    const count = group.members.length
    return values.length <= NAMED
      ? { ...group, values, count }
      : { ...group, values: values.slice(0, 1), count, alike: true }
  }).toSorted((one, other) => other.count - one.count)
}

/** Adds an occurrence to a group. It collects only as many values as it takes to tell that there are too many to name. */
function addMember({ values, members }: Omit<Group, 'count'>, place: number, value: string): void {
  // Positions arrive in ascending order, repeated where an occurrence has several values.
  if (members.at(-1) !== place) members.push(place)
  if (values.length <= NAMED && !values.includes(value)) values.push(value)
}

/** Occurrences that differ from nearly all others are worth a look, however little information that is. */
const RARE = 0.1
const RARE_TELLS = 0.7
/** A value that is written in another way than nearly all others. */
const ODD_TELLS = 1
/** Ids and times divide the occurrences too, and explain nothing. */
const ID_TELLS = 0.2

/**
 * How much the values of a name tell, from 0 to 1: the information that they hold about an occurrence (Shannon), and less
 * of it the more values a reader has to take in. Few values that divide the occurrences tell most.
 */
function tells({ values, without }: Varying, total: number): number {
  const shares = [...values.map(({ count }) => count), without].filter((count) => count > 0)
  const sum = shares.reduce((all, count) => all + count, 0)
  const information = shares.reduce((all, count) => all - (count / sum) * Math.log2(count / sum), 0)
  const split = (information / Math.log2(shares.length + 1)) * Math.min(1, FEW / shares.length)
  const isRare = shares.length <= FEW && Math.min(...shares) <= Math.max(1, total * RARE)
  const isOdd = isRare && values[0]?.alike === true && values.length > 1
  const isId = values.every((group) => group.values.every(isIdOrTime))
  return Math.max(split, isOdd ? ODD_TELLS : isRare ? RARE_TELLS : 0) * (isId ? ID_TELLS : 1)
}
