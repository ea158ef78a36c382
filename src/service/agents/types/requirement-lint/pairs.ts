import { Priority } from '../../../../contract/base/common.ts'
import { cutWithEllipsis } from '../../../../lib/text.ts'
import {
  compareRead,
  conceptsIn,
  readStatement,
  type Comparison,
  type ReadStatement,
} from '../../../quality/requirements/similarity/index.ts'
import { nameRequirement, type Worded } from './read.ts'
import { PairKind, type PairBody } from './schema.ts'

/** The share of common words, by weight, below which two requirements are not compared. */
const LEAST_SHARE = 0.3
/** The requirements that each is compared with in full: those that share the most words with it. */
const COMPARED = 20
/** From this similarity on, two requirements are about the same subject for certain. */
const SAME_SUBJECT = 0.85
/** Of a pair in the output: differences, and characters of each and of each statement. */
const MOST_DIFFERENCES = 10
const LONGEST_DIFFERENCE = 200
const LONGEST_STATEMENT = 1000

interface Entry {
  requirement: Worded
  read: ReadStatement
  concepts: ReadonlyMap<string, number>
  total: number
  /** The rarest concepts: another requirement with enough common words has at least one of them. */
  rarest: readonly string[]
}

export interface Pair {
  kind: PairBody['kind']
  first: Worded
  second: Worded
  comparison: Comparison
}

/**
 * The pairs of requirements that say the same or contradict each other (decision 065); at least one of each pair is
 * `wanted`. They are found by their rare words instead of by comparing all with all. `pause` is called for each requirement.
 */
export async function findPairs(
  requirements: readonly Worded[],
  wanted: ReadonlySet<string> | undefined,
  pause: (phase: 'reading' | 'comparing', done: number) => Promise<void>,
): Promise<Pair[]> {
  const entries = await readEntries(requirements, pause)
  const byConcept = new Map<string, Entry[]>()
  const pairs: Pair[] = []
  for (const [index, entry] of entries.entries()) {
    await pause('comparing', index)
    const near = new Set(entry.rarest.flatMap((concept) => byConcept.get(concept) ?? []))
    const isWanted = (one: Entry) =>
      wanted === undefined || wanted.has(one.requirement.id) || wanted.has(entry.requirement.id)
    for (const other of closest(entry, [...near].filter(isWanted))) {
      const comparison = compareRead(other.read, entry.read)
      const kind = judgeKind(comparison)
      if (kind !== undefined) pairs.push({ kind, first: other.requirement, second: entry.requirement, comparison })
    }
    for (const concept of entry.rarest) {
      const sharing = byConcept.get(concept)
      if (sharing === undefined) byConcept.set(concept, [entry])
      else sharing.push(entry)
    }
  }
  return pairs.toSorted(byWeight)
}

async function readEntries(
  requirements: readonly Worded[],
  pause: (phase: 'reading', done: number) => Promise<void>,
): Promise<Entry[]> {
  const read = []
  const counts = new Map<string, number>()
  for (const [index, requirement] of requirements.entries()) {
    await pause('reading', index)
    const statement = readStatement(requirement)
    const concepts = conceptsIn(statement)
    for (const concept of concepts.keys()) counts.set(concept, (counts.get(concept) ?? 0) + 1)
    read.push({ requirement, read: statement, concepts, total: sum(concepts.values()) })
  }
  return read.map((one) => ({ ...one, rarest: findRarest(one, counts) }))
}

/**
 * The concepts from the rarest on, until the rest weighs less than the least share: two requirements that have only the
 * rest in common share less than that.
 */
function findRarest(
  { concepts, total }: Pick<Entry, 'concepts' | 'total'>,
  counts: ReadonlyMap<string, number>,
): readonly string[] {
  const ordered = [...concepts].toSorted(
    ([one], [other]) => (counts.get(one) ?? 0) - (counts.get(other) ?? 0) || (one < other ? -1 : 1),
  )
  let rest = total
  const from = ordered.findIndex(([, weight]) => {
    const isEnough = rest < LEAST_SHARE * total
    rest -= weight
    return isEnough
  })
  return (from === -1 ? ordered : ordered.slice(0, from)).map(([concept]) => concept)
}

/** Those that share the most words, the closest first; equal ones in the order of their keys. */
function closest(entry: Entry, near: readonly Entry[]): Entry[] {
  return near
    .map((other) => ({ other, share: measureShare(entry, other) }))
    .filter(({ share }) => share >= LEAST_SHARE)
    .toSorted((a, b) => b.share - a.share || a.other.requirement.number - b.other.requirement.number)
    .slice(0, COMPARED)
    .map(({ other }) => other)
}

function measureShare(one: Entry, other: Entry): number {
  let common = 0
  for (const [concept, weight] of one.concepts) if (other.concepts.has(concept)) common += weight
  return common / (one.total + other.total - common)
}

/** The kind of a pair; undefined when it is no finding: the subjects differ, or one only says more. */
function judgeKind({ verdict, similarity, saysMore, differences }: Comparison): PairBody['kind'] | undefined {
  if (verdict === 'duplicate') return 'NEAR_DUPLICATE'
  if (verdict !== 'conflict') return undefined
  const hasOwnWords = saysMore.before && saysMore.after
  const isAddition = differences.every((one) => one.endsWith(' was left out') || one.endsWith(' was added'))
  if (isAddition && (saysMore.before || saysMore.after)) return undefined
  if (similarity < SAME_SUBJECT) return hasOwnWords ? undefined : 'POSSIBLE_CONTRADICTION'
  return hasOwnWords || isAddition ? 'POSSIBLE_CONTRADICTION' : 'CONTRADICTION'
}

function byWeight(one: Pair, other: Pair): number {
  return (
    kindRank(one) - kindRank(other) ||
    priorityRank(one) - priorityRank(other) ||
    other.comparison.similarity - one.comparison.similarity ||
    one.first.number - other.first.number ||
    one.second.number - other.second.number
  )
}

function kindRank({ kind }: Pair): number {
  return PairKind.options.indexOf(kind)
}

function priorityRank({ first, second }: Pair): number {
  return Math.min(Priority.options.indexOf(first.priority), Priority.options.indexOf(second.priority))
}

/** A pair as the output has it. */
export function viewPair({ kind, first, second, comparison }: Pair): PairBody {
  const differences = comparison.differences
    .slice(0, MOST_DIFFERENCES)
    .map((one) => cutWithEllipsis(one, LONGEST_DIFFERENCE))
  return {
    kind,
    first: { ...nameRequirement(first), statement: cutWithEllipsis(first.statement, LONGEST_STATEMENT) },
    second: { ...nameRequirement(second), statement: cutWithEllipsis(second.statement, LONGEST_STATEMENT) },
    similarity: comparison.similarity,
    differences,
    why: explain(kind, differences.join('; ')),
  }
}

function explain(kind: PairBody['kind'], differences: string): string {
  if (kind === 'NEAR_DUPLICATE')
    return 'They say the same in almost the same words. Keep one and deprecate the other, with superseded_by.'
  if (kind === 'CONTRADICTION') return `They are about the same and differ: ${differences}. Keep one of them.`
  return `They are about almost the same and differ: ${differences}. Keep one, or say in each when it applies.`
}

function sum(weights: Iterable<number>): number {
  let total = 0
  for (const weight of weights) total += weight
  return total
}
