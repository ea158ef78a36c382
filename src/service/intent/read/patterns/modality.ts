import type { Candidate } from '../../types.ts'

type Modality = Candidate['modality']

export interface Modal {
  modality: Modality
  /** Where its words start, and where the demand after them starts. */
  start: number
  end: number
  /** The modal word, lower case. */
  word: string
  isUpper: boolean
}

const NEGATED = {
  MODALITY_MUST: 'MODALITY_MUST_NOT',
  MODALITY_SHOULD: 'MODALITY_SHOULD_NOT',
  MODALITY_MAY: 'MODALITY_MUST_NOT',
} as const

interface ModalWord {
  pattern: string
  modality: Modality
  /** The modality when "not" follows; absent when the words already include it. */
  negated?: Modality
}

const verb = (pattern: string, modality: keyof typeof NEGATED): ModalWord => ({
  pattern,
  modality,
  negated: NEGATED[modality],
})
const phrase = (pattern: string, modality: Modality): ModalWord => ({ pattern, modality })

/** RFC 2119 and RFC 8174: in upper case. */
const UPPER: readonly ModalWord[] = [
  phrase('NOT RECOMMENDED', 'MODALITY_SHOULD_NOT'),
  phrase('(?:NOT|not) REQUIRED', 'MODALITY_MAY'),
  verb('MUST', 'MODALITY_MUST'),
  verb('SHALL', 'MODALITY_MUST'),
  phrase('REQUIRED', 'MODALITY_MUST'),
  verb('SHOULD', 'MODALITY_SHOULD'),
  phrase('RECOMMENDED', 'MODALITY_SHOULD'),
  verb('MAY', 'MODALITY_MAY'),
  phrase('OPTIONAL', 'MODALITY_MAY'),
]

const be = '(?:is|are|be)'
/** No noun follows the adjective: "optional steps" demand nothing. */
const noNoun = '(?![ -](?!(?:and|or|for|if|when|in|on|at|by|with|unless|but|to|that|only|as|here)\\b)[\\p{L}])'
/** Ordinary wording; of two that start at the same place, the first one counts. */
const LOWER: readonly ModalWord[] = [
  phrase(
    `${be} not required(?: to)?|need not|needn't|(?:do|does) not (?:need|have) to|(?:don't|doesn't) (?:need|have) to`,
    'MODALITY_MAY',
  ),
  phrase("cannot|can't|can not|mustn't|won't|shan't", 'MODALITY_MUST_NOT'),
  phrase("shouldn't", 'MODALITY_SHOULD_NOT'),
  phrase(
    `${be} (?:not|never) (?:allowed|permitted)(?: to)?|${be} (?:prohibited|forbidden|disallowed)`,
    'MODALITY_MUST_NOT',
  ),
  phrase(`${be} not recommended`, 'MODALITY_SHOULD_NOT'),
  phrase(`${be} (?:allowed|permitted) to|${be} optional${noNoun}|optionally`, 'MODALITY_MAY'),
  phrase(`${be} (?:strongly |highly )?recommended${noNoun}|ought to|(?:had|'d) better`, 'MODALITY_SHOULD'),
  phrase(`${be} (?:required|mandatory|obliged|obligatory|compulsory)${noNoun}(?: to)?`, 'MODALITY_MUST'),
  phrase('(?:needs?|has|have|have got) to', 'MODALITY_MUST'),
  verb('must', 'MODALITY_MUST'),
  verb('shall', 'MODALITY_MUST'),
  verb('will', 'MODALITY_MUST'),
  verb('should', 'MODALITY_SHOULD'),
  verb('may', 'MODALITY_MAY'),
  verb('can', 'MODALITY_MAY'),
]

const NEGATION =
  /^\s+(?:(?:also|in general|generally|however|therefore|thus|,|\w+ly)\s+)?(?:not|never|no longer|under no circumstances|in no case|at no time)\b/i
/** Subjects that negate the demand: "No client may …", "Neither A nor B shall …". */
const NO_SUBJECT =
  /(?:^|[,;:] ?)(?:and |but |then )?(?:no|none|nobody|nothing|neither|under no circumstances|at no time|in no case|never)\b(?! later| more than| less than| fewer than| longer than| matter)[^,;]*$/i

const combine = (words: readonly ModalWord[], flags: string) =>
  new RegExp(`\\b(?:${words.map(({ pattern }) => `(${pattern})`).join('|')})(?![\\w-])`, flags)

const upper = combine(UPPER, 'gu')
const lower = combine(LOWER, 'giu')

/** The modal words of a masked sentence, in order: those in upper case if there are any, else all. */
export function findModals(masked: string): Modal[] {
  const strict = [...masked.matchAll(upper)]
  if (strict.length > 0) return strict.map((match) => modalAt(masked, match, UPPER, true))
  return [...masked.matchAll(lower)].map((match) => modalAt(masked, match, LOWER, false))
}

function modalAt(masked: string, match: RegExpExecArray, words: readonly ModalWord[], isUpper: boolean): Modal {
  const found = words[match.findIndex((group: string | undefined, index) => index > 0 && group !== undefined) - 1]
  const end = match.index + match[0].length
  const modality = found?.modality ?? 'MODALITY_MUST'
  const modal = { start: match.index, word: match[0].toLowerCase(), isUpper }
  const not = NEGATION.exec(masked.slice(end, end + 60))
  if (not !== null && found?.negated !== undefined)
    return { ...modal, modality: found.negated, end: end + not[0].length }
  const isNegative = NO_SUBJECT.test(masked.slice(Math.max(0, match.index - 200), match.index))
  return { ...modal, modality: isNegative ? negate(modality) : modality, end }
}

function negate(modality: Modality): Modality {
  if (modality === 'MODALITY_MUST' || modality === 'MODALITY_MAY') return 'MODALITY_MUST_NOT'
  return modality === 'MODALITY_SHOULD' ? 'MODALITY_SHOULD_NOT' : modality
}
