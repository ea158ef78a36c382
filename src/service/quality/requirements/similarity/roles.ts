import { concept, isStopWord } from './vocabulary.ts'

/** What comes first and what then, from the only `before` or `after` of a text. */
export interface Order {
  marker: string
  first: ReadonlySet<string>
  second: ReadonlySet<string>
}

const modals = new Set(['#must', '#should', '#may', '#can'])
const passive = new Set(['be', 'is', 'are', 'was', 'were', 'been', 'being'])
/** How many words after `by` may name who does it. */
const ACTOR_WORDS = 4

/** The concepts among the tokens of a text: no marks, signs and stop words. */
function readConcepts(tokens: readonly string[]): ReadonlySet<string> {
  return new Set(tokens.filter((one) => /^\p{L}/u.test(one) && !isStopWord(one)).map(concept))
}

/** Reads which of two things is first, where a text has one `before` or `after`; undefined for none and for several. */
export function readOrder(tokens: readonly string[]): Order | undefined {
  const at = tokens.findIndex(isOrderMarker)
  const marker = tokens[at]
  if (marker === undefined || tokens.slice(at + 1).some(isOrderMarker)) return undefined
  const comma = tokens.indexOf(',', at)
  const end = comma === -1 ? tokens.length : comma
  const named = readConcepts(tokens.slice(at + 1, end))
  const rest = readConcepts([...tokens.slice(0, at), ...tokens.slice(end)])
  return marker === 'after' ? { marker, first: named, second: rest } : { marker, first: rest, second: named }
}

function isOrderMarker(word: string): boolean {
  return word === 'before' || word === 'after'
}

/**
 * Concepts of who acts in the main clause: the subject before the modal word, or in the passive the words after `by`.
 * Empty where that is not said.
 */
export function readActor(tokens: readonly string[]): ReadonlySet<string> {
  const modal = tokens.findIndex((one) => modals.has(one))
  if (modal === -1) return new Set()
  const verb = tokens.slice(modal + 1).find((one) => one !== '#not')
  if (verb !== undefined && passive.has(verb)) {
    const by = tokens.indexOf('by', modal)
    return by === -1 ? new Set() : readConcepts(untilSign(tokens.slice(by + 1, by + 1 + ACTOR_WORDS)))
  }
  const comma = tokens.lastIndexOf(',', modal)
  return readConcepts(tokens.slice(comma + 1, modal))
}

function untilSign(tokens: readonly string[]): readonly string[] {
  const end = tokens.findIndex((one) => !/^\p{L}/u.test(one) || one === 'when' || one === 'if' || one === 'after')
  return end === -1 ? tokens : tokens.slice(0, end)
}
