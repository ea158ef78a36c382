import { isModal } from './phrases.ts'
import { concept, isStopWord } from './vocabulary.ts'

/** What comes first and what second, by the only `before` or `after` of a text. */
export interface Order {
  marker: string
  first: ReadonlySet<string>
  second: ReadonlySet<string>
}

const passive = new Set(['be', 'is', 'are', 'was', 'were', 'been', 'being'])
const clauseWords = new Set([
  'when',
  'if',
  'after',
  'before',
  'while',
  'until',
  'unless',
  'for',
  'with',
  'without',
  'in',
  'at',
  'on',
])
/** How many words after `by` may name who does it. */
const ACTOR_WORDS = 4

/** The concepts among the tokens of a text: no marks, signs and stop words. */
function readConcepts(tokens: readonly string[]): ReadonlySet<string> {
  return new Set(tokens.filter((one) => /^\p{L}/u.test(one) && !isStopWord(one)).map(concept))
}

/** Reads which of two things is first; undefined unless the text has exactly one `before` or `after`. */
export function readOrder(tokens: readonly string[]): Order | undefined {
  const at = tokens.findIndex(isOrderWord)
  const marker = tokens[at]
  if (marker === undefined || tokens.slice(at + 1).some(isOrderWord)) return undefined
  const comma = tokens.indexOf(',', at)
  const end = comma === -1 ? tokens.length : comma
  const named = readConcepts(tokens.slice(at + 1, end))
  const rest = readConcepts([...tokens.slice(0, at), ...tokens.slice(end)])
  return marker === 'after' ? { marker, first: named, second: rest } : { marker, first: rest, second: named }
}

/** Whether the word says which of two things comes first. */
export function isOrderWord(word: string): boolean {
  return word === 'before' || word === 'after'
}

/** Who does what to whom in the main clause, as concepts. */
export interface Roles {
  verb: string
  actor: ReadonlySet<string>
  /** Everything after the verb in the active, the subject in the passive. */
  acted: ReadonlySet<string>
}

/** Reads the roles of the clause with the first modal word; undefined where it does not say who acts. */
export function readRoles(tokens: readonly string[]): Roles | undefined {
  const modal = tokens.findIndex(isModal)
  if (modal === -1) return undefined
  const subject = readConcepts(tokens.slice(tokens.lastIndexOf(',', modal) + 1, modal))
  const rest = tokens.slice(modal + 1).filter((one) => !one.startsWith('#') && one !== ',')
  const isPassive = passive.has(rest[0] ?? '')
  const [verb = '', ...after] = isPassive ? rest.slice(1) : rest
  if (!isPassive) return { verb: concept(verb), actor: subject, acted: readConcepts(after) }
  const by = after.indexOf('by')
  if (by === -1) return undefined
  return {
    verb: concept(verb),
    actor: readConcepts(untilClause(after.slice(by + 1, by + 1 + ACTOR_WORDS))),
    acted: subject,
  }
}

/** Who acts in a passive main clause, as concepts; empty where it does not say, undefined in the active. */
export function readAgent(tokens: readonly string[]): ReadonlySet<string> | undefined {
  const modal = tokens.findIndex(isModal)
  const rest = tokens.slice(modal + 1).filter((one) => !one.startsWith('#') && one !== ',')
  if (modal === -1 || !passive.has(rest[0] ?? '')) return undefined
  const by = rest.indexOf('by')
  return new Set(by === -1 ? [] : readConcepts(untilClause(rest.slice(by + 1, by + 1 + ACTOR_WORDS))))
}

function untilClause(tokens: readonly string[]): readonly string[] {
  const end = tokens.findIndex((one) => !/^\p{L}/u.test(one) || clauseWords.has(one))
  return end === -1 ? tokens : tokens.slice(0, end)
}
