import { numbersInDigits } from './number-words.ts'

/** Marks are words that begin with `#`: comparators, modal words and `#not`. */
const comparatorMarks = new Map([
  ['#le', 'at most'],
  ['#ge', 'at least'],
  ['#lt', 'less than'],
  ['#gt', 'more than'],
  ['#eq', 'exactly'],
  ['#approx', 'about'],
  ['#in', 'within'],
])
const modalMarks = new Set(['#must', '#should', '#may', '#can'])

export function isComparator(word: string): boolean {
  return comparatorMarks.has(word)
}

/** A comparator as people write it: `at most` for `#le`. */
export function comparatorInWords(mark: string): string {
  return comparatorMarks.get(mark) ?? mark
}

export function isModal(word: string): boolean {
  return modalMarks.has(word)
}

const word = (pattern: string) => new RegExp(String.raw`(?<![\p{L}\p{N}#])(?:${pattern})(?![\p{L}\p{N}])`, 'gu')
/** Only before a number. */
const before = (pattern: string) => new RegExp(String.raw`(?<![\p{L}\p{N}#])(?:${pattern})(?=\s+[€$£]?-?\d)`, 'gu')

const contractions: readonly [RegExp, string][] = [
  [word("can't|cannot"), 'can not'],
  [word("won't"), 'will not'],
  [word("shan't"), 'shall not'],
  [/n't\b/gu, ' not'],
  [/'(?:s|re|ve|ll|d)\b/gu, ''],
]

const comparators: readonly [RegExp, string][] = [
  [word('(?:not|never|without) (?:to )?(?:be )?(?:exceed|exceeding|go above|surpass)'), '#le'],
  [
    word(
      '(?:no|not) (?:be )?(?:more|greater|longer|larger|later|higher|bigger) than|(?:not|no) (?:be )?(?:above|over)',
    ),
    '#le',
  ],
  [
    word('(?:no|not) (?:be )?(?:less|fewer|shorter|smaller|earlier|lower) than|(?:not|no) (?:be )?(?:below|under)'),
    '#ge',
  ],
  [word('at (?:the )?most|(?:a |the )?(?:maximum|max\\.?) of|(?:a |the )?upper limit of|limited to|capped at'), '#le'],
  [before('up to|within'), '#le'],
  [word('at (?:the )?least|(?:a |the )?(?:minimum|min\\.?) of'), '#ge'],
  [word('or (?:less|fewer|below|shorter|smaller|earlier)'), '#le'],
  [word('or (?:more|longer|greater|above|higher|larger|later)'), '#ge'],
  [word('(?:in )?(?:less|fewer|shorter|smaller|lower|earlier) than'), '#lt'],
  [before('(?:in )?(?:under|below)'), '#lt'],
  [word('(?:more|greater|longer|larger|higher|bigger|later) than'), '#gt'],
  [before('over|above|beyond'), '#gt'],
  [word('exceed(?:s|ed|ing)?'), '#gt'],
  [before('exactly|precisely'), '#eq'],
  [before('about|approximately|approx\\.?|around|roughly|circa'), '#approx'],
  [word(String.raw`(?:maximum|max\.?|maximal)(?=[^.;]*\d)`), '#le'],
  [word(String.raw`(?:minimum|min\.?|minimal)(?=[^.;]*\d)`), '#ge'],
  [/<=|≤/gu, ' #le '],
  [/>=|≥/gu, ' #ge '],
  [/<(?=\s*\d)/gu, ' #lt '],
  [/>(?=\s*\d)/gu, ' #gt '],
]

const modality: readonly [RegExp, string][] = [
  [word('(?:is|are|be) not (?:required|obliged|obligated|necessary|mandatory)(?: to)?'), '#may'],
  [word('(?:do|does) not (?:have|need) to|need not'), '#may'],
  [word('(?:with )?no need to'), '#not'],
  [
    word('(?:is|are|be) not (?:allowed|permitted) to|(?:is|are) forbidden (?:to|from)|(?:is|are) prohibited from'),
    '#must #not',
  ],
  [word('(?:must|shall|will) not be (?:able|allowed|permitted) to'), '#must #not'],
  [word('(?:must|shall|will) never be able to'), '#must #not'],
  [word('(?:can|could) (?:not|never)|(?:is|are) unable to'), '#must #not'],
  [word('(?:it )?(?:must|shall|will|has to|is|be) (?:be )?possible (?:for|to)'), '#can'],
  [word('(?:must|shall|will) be (?:able to|capable of)|(?:is|are) (?:able to|capable of)|can|could'), '#can'],
  [
    word('(?:must|shall|will) be (?:allowed|permitted) to|(?:is|are) (?:allowed|permitted) to|may|might|optionally'),
    '#may',
  ],
  [
    word('must|shall|will|(?:is|are) (?:required|obliged|obligated) to|(?:has|have|had|needs?) to|(?:is|are) to'),
    '#must',
  ],
  // "The shop must let customers pay" says that customers can pay.
  [
    /#must (?:let|(?:allow|enable|permit)(?= \p{L}+(?: \p{L}+)? to )) ((?:the |an? )?\p{L}+)(?: to)?(?= \p{L})/gu,
    ', $1 #can',
  ],
  [word('should|ought to|(?:is|are) (?:recommended|encouraged|expected|supposed) to|ideally|preferably'), '#should'],
]

const negation: readonly [RegExp, string][] = [
  [word('(?:do|does|did|is|are|was|were|be|been|have|has|had)? ?not'), '#not'],
  [word('(?:refuses?|declines?|fails?) to|(?:avoid|prevent)s? (?=\\p{L}+ing\\b)|refrains? from'), '#not'],
  [word('no longer|never|none|nor|neither|nothing|nobody|no one|no'), '#not'],
  // Two negations cancel each other out: "must not fail to answer", "must not be sent without a label".
  [/#not #not/gu, ''],
  [/#not ((?:(?!\b(?:and|or|but)\b)[^#,.;])*)\bwithout\b/gu, '$1only with'],
  [word('without'), '#not'],
]

/** Spellings and terms of several words. */
const spellings: readonly [RegExp, string][] = [
  [/\b(?:switch|turn)(?:es|s|ed|ing)? (\p{L}+ )?off\b/gu, 'disable $1'],
  [/\b(?:switch|turn)(?:es|s|ed|ing)? (\p{L}+ )?on\b/gu, 'enable $1'],
  [/\b(upper|lower)(?: and (upper|lower))?[- ]?case\b/gu, '$1case $2case'],
  [/\be[- ]mail(?=s|ed|ing|\b)/gu, 'email'],
  [/\b(?:log|sign)(?:s|ged|ging|ned|ing)?[- ](?:in|on)\b(?! to the (?:page|screen|list))/gu, 'login'],
  [/\b(?:log|sign)(?:s|ged|ging|ned|ing)?[- ](?:out|off)\b/gu, 'logout'],
  [/\b(?:log|sign)(?:s|ged|ging|ned|ing)? (\p{L}+(?: \p{L}+)?) (?:out|off)\b/gu, 'logout $1'],
  [/\bsign(?:s|ed|ing)?[- ]up\b/gu, 'register'],
  [/\btim(?:e|es|ed|ing)[- ]out\b/gu, 'timeout'],
  [/\bback(?:s|ed|ing)?[- ]up\b/gu, 'backup'],
  [/\bset(?:s|ting)?[- ]up\b/gu, 'setup'],
  [/\buser[- ]name/gu, 'username'],
  [/\bpass[- ]word/gu, 'password'],
  [/\bweb[- ](?=site|page|hook)/gu, 'web'],
  [/\bcheck(?:s|ed|ing)?[- ]out\b/gu, 'checkout'],
  [/\bdrop[- ]?down\b/gu, 'dropdown'],
  [/\bshopping (?=cart|basket|bag)/gu, ''],
  [/\bmake(?:s)? sure(?: that)?\b|\bensures?(?: that)?\b/gu, ''],
  [/\bas soon as\b|\bwhenever\b|\bin case\b|\bprovided that\b|\bupon\b/gu, 'when'],
  [
    /\bonce(?= (?:the|an?|all|every|it|they|he|she|this|that|these|those|its|their|\p{L}+ (?:is|are|has|have|was|were))\b)/gu,
    'when',
  ],
  [/\b(?:prior to|in advance of|ahead of)\b/gu, 'before'],
  [/\b(?:following|subsequent to)(?= (?:an?|the|his|her|their)\b)/gu, 'after'],
  [/\b(?:except (?:if|when)|if not)\b/gu, 'unless'],
  [/\bdue to\b|\bbecause of\b/gu, 'because'],
  [/\b(\p{L}{4,})is(e|es|ed|ing|ation|ations|er|ers)\b/gu, '$1iz$2'],
  [/\b(\p{L}{3,})our(s|ed|ing|able|ite|ites)?\b/gu, '$1or$2'],
  [/\b(\p{L}{4,})ll(ed|ing|ation)\b/gu, '$1l$2'],
  [/\b(\p{L}{3,})tre(s?)\b/gu, '$1ter$2'],
]

/** A lower-case text with numbers in digits, one spelling of each term, and marks for what its guards compare. */
export function markPhrases(text: string): string {
  let out = ` ${text.replaceAll('#', ' ').replace(/[’‘]/gu, "'").replace(/\s+/gu, ' ')} `
  out = replaceAll(out, contractions)
  out = numbersInDigits(out)
  out = replaceAll(out, comparators)
  out = replaceAll(out, modality)
  out = replaceAll(out, negation)
  out = replaceAll(out, spellings)
  return out.replace(
    /(?<![\p{L}#])in(?= \d+(?:\.\d+)? ?(?:ms|s|sec|seconds?|min|minutes?|h|hours?|days?|milliseconds?)\b)/gu,
    '#in',
  )
}

function replaceAll(text: string, replacements: readonly [RegExp, string][]): string {
  return replacements.reduce((out, [pattern, by]) => out.replace(pattern, by), text)
}
