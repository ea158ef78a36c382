import { wordTrigrams, type Profile, type SubjectWord } from './profile.ts'
import { areOpposite, type Word } from './vocabulary.ts'

export interface Matching {
  /** How much of the subject is the same, from 0 to 1. */
  similarity: number
  /** Words of the one text that the other contradicts. */
  opposites: [string, string][]
}

/** Words that are this similar in their trigrams are forms of the same word. */
const SAME_WORD = 0.6
/** Texts in which a word is another one, `shipped` and `refunded`, are not equal, however long they are. */
const REPLACED_AT_MOST = 0.89
/** The weight of a word that says something. */
const REPLACED_WEIGHT = 0.9
/** How the words and their trigrams count. */
const WORDS_SHARE = 0.75

/**
 * The scale: which similarity a share of common words stands for. Between the points it is linear. Measured on the
 * labelled pairs of `test/service/intent`: decision 065.
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
    return { similarity: one.text === other.text ? 1 : 0, opposites: [] }
  }
  const left = [...one.words.values()].filter(({ concept }) => !other.words.has(concept))
  const right = [...other.words.values()].filter(({ concept }) => !one.words.has(concept))
  const pairs = pairWords(left, right)
  const common = totalWeight(one) - sum(left) + pairs.common
  const all = totalWeight(one) + totalWeight(other) - common
  const raw = WORDS_SHARE * (common / all) + (1 - WORDS_SHARE) * dice(one.trigrams, other.trigrams)
  const similarity = onScale(raw)
  return {
    similarity: pairs.isReplaced ? Math.min(similarity, REPLACED_AT_MOST) : similarity,
    opposites: pairs.opposites,
  }
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
  const unpaired = (words: readonly SubjectWord[]) => sum(words.filter((word) => !used.has(word)))
  const isReplaced = Math.min(unpaired(left), unpaired(right)) >= REPLACED_WEIGHT
  return { common, opposites, isReplaced }
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
