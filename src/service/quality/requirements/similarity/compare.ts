import { wordTrigrams, type Profile, type SubjectWord } from './profile.ts'
import { areOpposite, isPrefixed, type Word } from './vocabulary.ts'

export interface Matching {
  /** How much of the subject is the same, from 0 to 1. */
  similarity: number
  /** Pairs of opposites, one word from each text. */
  opposites: [string, string][]
  /** Which of the two has words that the other lacks. */
  saysMore: { before: boolean; after: boolean }
}

/** The trigram similarity from which two words count as forms of one word. */
const SAME_WORD = 0.6
/** The highest similarity of texts that differ in a word that matters. */
const OTHER_AT_MOST = 0.89
/** A text says more when its further words weigh at least this much. */
const MORE_WEIGHT = 2
/** The share of the words in the similarity; the rest is their trigrams. */
const WORDS_SHARE = 0.75

/**
 * Maps a share of common words to a similarity, linearly between the points. Fitted to the labelled pairs of
 * `test/service/intent` (decision 065).
 */
const scale: readonly [raw: number, similarity: number][] = [
  [0, 0],
  [0.45, 0.75],
  [0.62, 0.9],
  [1, 1],
]

/** Compares the subjects of two texts; numbers, negation and modality do not count in it. */
export function matchWords(one: Profile, other: Profile): Matching {
  if (one.words.size === 0 || other.words.size === 0) {
    return { similarity: one.text === other.text ? 1 : 0, opposites: [], saysMore: { before: false, after: false } }
  }
  const left = [...one.words.values()].filter(({ concept }) => !other.words.has(concept))
  const right = [...other.words.values()].filter(({ concept }) => !one.words.has(concept))
  const pairs = pairWords(left, right)
  const common = totalWeight(one) - sum(left) + pairs.common
  const all = totalWeight(one) + totalWeight(other) - common
  const raw = WORDS_SHARE * (common / all) + (1 - WORDS_SHARE) * dice(one.trigrams(), other.trigrams())
  const [before, after] = pairs.unpaired
  const isOther = isReplaced(pairs.unpaired, one, other) || isQualified(pairs.unpaired, one, other)
  return {
    similarity: isOther || hasOtherAgent(one, other) ? Math.min(onScale(raw), OTHER_AT_MOST) : onScale(raw),
    opposites: pairs.opposites,
    saysMore: { before: before!.length > 0, after: after!.length > 0 },
  }
}

/** The share of the words of a text, by weight, that are in one of the others. */
export function shareWithin(part: Profile, wholes: readonly Profile[]): number {
  const words = [...part.words.values()]
  const there = words.filter(({ concept }) => wholes.some((whole) => whole.words.has(concept)))
  return words.length === 0 ? 0 : sum(there) / sum(words)
}

type Unpaired = readonly (readonly SubjectWord[])[]

/** Whether a word was replaced, as `shipped` by `refunded`, or one text says more than the other. */
function isReplaced(unpaired: Unpaired, one: Profile, other: Profile): boolean {
  const [left = [], right = []] = unpaired
  // In "the order history must list orders", the second word is one more.
  const isOther =
    (left.length > 0 || hasRepeated(one, other)) &&
    (right.length > 0 || hasRepeated(other, one)) &&
    left.length + right.length > 0
  return isOther || unpaired.some((words) => sum(words) >= MORE_WEIGHT)
}

function hasRepeated({ words }: Profile, { words: others }: Profile): boolean {
  return [...words.values()].some(
    ({ concept, times, weight }) => weight === 1 && times > (others.get(concept)?.times ?? times),
  )
}

/** Whether only one text qualifies what both name: `orders` and `open orders`. */
function isQualified(unpaired: Unpaired, one: Profile, other: Profile): boolean {
  return unpaired.flat().some(({ qualifies }) => one.words.has(qualifies) && other.words.has(qualifies))
}

/** Whether only one of two passive texts names a specific agent, as in `sent by the customer`. */
function hasOtherAgent(one: Profile, other: Profile): boolean {
  if (one.agent === undefined || other.agent === undefined) return false
  const [left, right] = [one, other].map(({ agent, words }) =>
    [...agent!].some((name) => words.get(name)?.weight === 1),
  )
  return left !== right
}

/** Finds, among the words that only one text has, those that are opposites or forms of one word; each is used once. */
function pairWords(left: readonly SubjectWord[], right: readonly SubjectWord[]) {
  const pairs = left.flatMap((one) => right.map((other) => ({ one, other, ...likeness(one, other) })))
  const used = new Set<SubjectWord>()
  const opposites: [string, string][] = []
  let common = 0
  for (const { one, other, share, opposite } of pairs.filter(({ share: kept }) => kept > 0).sort(byShare)) {
    if (used.has(one) || used.has(other)) continue
    used.add(one).add(other)
    common += share * Math.min(one.weight, other.weight)
    if (opposite) opposites.push([one.text, other.text])
  }
  const unpaired = [left, right].map((words) => words.filter((word) => !used.has(word)))
  return { common, opposites, unpaired }
}

interface Pair {
  one: SubjectWord
  other: SubjectWord
  share: number
}

/** The most alike first; equal ones in an order that does not depend on which text is which. */
function byShare(a: Pair, b: Pair): number {
  const [first, second] = [a, b].map(({ one, other }) => [one.concept, other.concept].sort().join(' '))
  return b.share - a.share || (first! < second! ? -1 : 1)
}

function likeness(one: Word, other: Word): { share: number; opposite: boolean } {
  if (areOpposite(one, other)) return { share: 1, opposite: true }
  // Forms of one word begin alike.
  if (one.stem.slice(0, 3) !== other.stem.slice(0, 3) || isPrefixed(one, other) || isPrefixed(other, one)) {
    return { share: 0, opposite: false }
  }
  const share = dice(new Set(wordTrigrams(one.stem)), new Set(wordTrigrams(other.stem)))
  return { share: share >= SAME_WORD ? share : 0, opposite: false }
}

function dice(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const common = [...one].filter((trigram) => other.has(trigram)).length
  return (2 * common) / (one.size + other.size)
}

function sum(words: readonly SubjectWord[]): number {
  return words.reduce((total, { weight }) => total + weight, 0)
}

function totalWeight({ words }: Profile): number {
  return sum([...words.values()])
}

function onScale(raw: number): number {
  const above = scale.findIndex(([point]) => raw <= point)
  if (above <= 0) return above === 0 ? 0 : 1
  const [from, low] = scale[above - 1]!
  const [to, high] = scale[above]!
  return Math.round((low + ((raw - from) / (to - from)) * (high - low)) * 1000) / 1000
}
