import { findIdentifiers, withoutKeys } from './identifiers.ts'
import { isComparator, isModal, markPhrases } from './phrases.ts'
import { takeQuantities, type Quantity } from './quantities.ts'
import { isOrderWord, readAgent, readOrder, readRoles, type Order, type Roles } from './roles.ts'
import { unitAfterNumber } from './units.ts'
import { concept, isStopWord, stem, weight, type Word } from './vocabulary.ts'

/** The texts of a requirement that are compared. */
export interface Statement {
  title: string
  /** Where it is empty, the title is compared. */
  statement: string
}

export type SubjectWord = Word & {
  /** How much it says about the subject, between 0 and 1. */
  weight: number
  /** How often the text has the word or a synonym. */
  times: number
  /** The concept that it qualifies: `order` for `open` in "open orders"; empty for a verb and at the end of a phrase. */
  qualifies: string
}

/** What comparing needs of one text, computed once. */
export interface Profile {
  /** In lower case, numbers in digits, with spaces at both ends. */
  text: string
  /** The words that name the subject, one for each concept, with their weight. */
  words: ReadonlyMap<string, SubjectWord>
  /** The trigrams of the concepts. */
  trigrams: () => ReadonlySet<string>
  quantities: readonly Quantity[]
  /** Quoted texts, code, file names, addresses, words with digits. */
  identifiers: readonly string[]
  /** `#le`, `#ge`, …, sorted. */
  comparators: readonly string[]
  negations: number
  /** `must`, `should`, `may` or `can`, in the order of the text. */
  modals: readonly string[]
  /** Words that limit a statement or reverse its condition: `only`, `unless`, `except`. */
  limits: readonly string[]
  /** `and` or `or`; empty where the text has both or neither. */
  conjunction: string
  order: Order | undefined
  roles: Roles | undefined
  /** Who acts in a passive main clause; empty where it does not say, undefined in the active. */
  agent: ReadonlySet<string> | undefined
}

const limits = new Map([
  ['only', 'only'],
  ['solely', 'only'],
  ['exclusively', 'only'],
  ['unless', 'unless'],
  ['except', 'except'],
])
const token =
  /#[a-z]+|(?<=\s)-?\d+(?:[.,:]\d+)*[\p{L}%°]*|\p{N}+(?:[.,:]\p{N}+)*[\p{L}%°]*|\p{L}[\p{L}\p{N}_]*|°\p{L}?|[€$£¥%,;.]/gu

/** Reads a text for comparing it with others. */
export function readProfile(given: string): Profile {
  const source = withoutKeys(given).normalize('NFKC')
  const text = markPhrases(
    source
      .toLowerCase()
      .replace(/(?<![\p{L}\p{N}])(\p{L}{2,})-(\d+)(?![\p{L}\p{N}])/gu, '$1$2')
      .replace(/(?<=\d)\s*[-–]\s*(?=\d)/gu, ' to '),
  )
  const { quantities, words: tokens } = takeQuantities(text.match(token) ?? [])
  const words = subjectWords(tokens)
  return {
    text,
    words,
    trigrams: once(() => readTrigrams(words)),
    quantities,
    identifiers: findIdentifiers(source, isQuantity),
    comparators: tokens.filter(isComparator).sort(),
    negations: tokens.filter((one) => one === '#not').length,
    modals: tokens.filter(isModal).map((one) => one.slice(1)),
    limits: readLimits(tokens, quantities),
    conjunction: readConjunction(tokens),
    order: readOrder(tokens),
    roles: readRoles(tokens),
    agent: readAgent(tokens),
  }
}

function readLimits(tokens: readonly string[], quantities: readonly Quantity[]): string[] {
  // "only once" says the same as "once".
  const isOnce = quantities.some(({ value, dimension }) => value === 1 && dimension === 'times')
  const found = tokens.flatMap((one) => limits.get(one) ?? [])
  return found.filter((one) => one !== 'only' || !isOnce).sort()
}

function isQuantity(word: string): boolean {
  const unit = /^\d+(.*)$/u.exec(word)?.[1]
  return unit !== undefined && (unitAfterNumber(unit) !== undefined || /^(?:st|nd|rd|th|k|x)$/u.test(unit))
}

function subjectWords(tokens: readonly string[]): Map<string, SubjectWord> {
  const words = new Map<string, SubjectWord>()
  for (const [at, text] of tokens.entries()) {
    if (!isSubject(text)) continue
    const name = concept(text)
    const qualifies = qualified(tokens, at)
    const word = words.get(name) ?? { text, stem: stem(text), concept: name, weight: weight(name), times: 0, qualifies }
    words.set(name, { ...word, times: word.times + 1 })
  }
  return words
}

function isSubject(token: string): boolean {
  return /^\p{L}/u.test(token) && !isStopWord(token) && !limits.has(token) && !isOrderWord(token)
}

function qualified(tokens: readonly string[], at: number): string {
  const [before, after] = [tokens[at - 1] ?? '', tokens[at + 1] ?? '']
  return before.startsWith('#') || !isSubject(after) ? '' : concept(after)
}

function once<T>(compute: () => T): () => T {
  let value: T | undefined
  return () => (value ??= compute())
}

function readTrigrams(words: ReadonlyMap<string, unknown>): Set<string> {
  const trigrams = new Set<string>()
  for (const name of words.keys()) for (const one of wordTrigrams(name)) trigrams.add(one)
  return trigrams
}

/** All runs of three characters of a word, with a space before and after it. */
export function wordTrigrams(word: string): string[] {
  const padded = ` ${word} `
  return Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3))
}

function readConjunction(tokens: readonly string[]): string {
  const [has, hasOr] = [tokens.includes('and'), tokens.includes('or')]
  if (has === hasOr) return ''
  return has ? 'and' : 'or'
}
