import type * as z from 'zod'
import type { LintCode, LintFinding } from '../../../contract/requirements.ts'
import type { Criterion } from './columns.ts'

export type WordingFinding = z.input<typeof LintFinding>

/** Wording that makes a requirement hard to test. */
export interface FoundWording extends Pick<WordingFinding, 'code'> {
  /** Which text it is in: `title`, `statement`, or `criterion 2`. */
  text: string
  words: string
  /** How to reword them. */
  advice: string
  /** In UTF-16 units of that text. */
  span: { start: number; end: number }
}

interface WordingRule {
  code: z.output<typeof LintCode>
  pattern: RegExp
  /** How to reword the matched text. */
  advice: string
  /** Whether the finding applies to the sentence it is in; always when absent. */
  applies?: (sentence: string) => boolean
}

const words = (list: readonly string[]) =>
  new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${list.join('|')})(?![\p{L}\p{N}])`, 'giu')

/** A number, with or without a unit, makes a quality checkable. */
const hasMeasure = (sentence: string) => /\d/.test(sentence)
const hasActor = (sentence: string) => /\bby (?:the |an? )?\p{L}/iu.test(sentence)

/** Wording that makes a requirement hard to test (contract §9.4, after INCOSE's rules for writing requirements). */
const rules: readonly WordingRule[] = [
  {
    code: 'TBD',
    pattern: words(['TBD', 'TBC', 'TBS', 'to be (?:defined|determined|decided|confirmed)', 'TODO', 'FIXME']),
    advice: 'decide it, or remove it until it is decided',
  },
  {
    code: 'AMBIGUOUS_TERM',
    pattern: words([
      'user[- ]friendly',
      'easy',
      'easily',
      'simple',
      'intuitive',
      'appropriate(?:ly)?',
      'adequate(?:ly)?',
      'suitable',
      'reasonable',
      'reasonably',
      'sufficient(?:ly)?',
      'flexible',
      'robust',
      'seamless(?:ly)?',
      'state[- ]of[- ]the[- ]art',
      'etc',
      'and so on',
      'and\\/or',
      'as needed',
      'as necessary',
      'various',
      'several',
      'many',
      'some',
      'significant(?:ly)?',
      'normal(?:ly)?',
      'usual(?:ly)?',
      'generally',
      'typically',
      'approximately',
      'about',
      'best',
      'optimal(?:ly)?',
      'minimal',
    ]),
    advice: 'be specific, so that two readers test the same thing',
  },
  {
    code: 'NO_MEASURE',
    pattern: words([
      'fast(?:er)?',
      'quick(?:ly)?',
      'slow(?:ly)?',
      'rapid(?:ly)?',
      'prompt(?:ly)?',
      'timely',
      'immediate(?:ly)?',
      'responsive',
      'efficient(?:ly)?',
      'scalable',
      'high(?:ly)? available',
      'reliable',
      'reliably',
      'low latency',
      'large',
      'small',
      'soon',
    ]),
    advice: 'give a number with a unit that a test can check',
    applies: (sentence) => !hasMeasure(sentence),
  },
  {
    code: 'ESCAPE_CLAUSE',
    pattern: words([
      'if possible',
      'where possible',
      'when possible',
      'as (?:far|much|soon) as possible',
      'if practical',
      'where practicable',
      'if feasible',
      'to the extent possible',
      'as appropriate',
      'where appropriate',
      'if applicable',
      'where applicable',
    ]),
    advice: 'say when it applies and when it does not',
  },
  {
    code: 'UNIVERSAL',
    pattern: words(['always', 'never', 'all', 'every', 'any', 'none', '100 ?%']),
    advice: 'no test can prove it for every case: name the cases and the exceptions',
  },
  {
    code: 'PASSIVE_NO_ACTOR',
    pattern: /\b(?:shall|must|should|will|may) (?:not )?be (?:\p{L}+ly )?\p{L}+(?:ed|en|wn|nt|ld|id|ut)\b/giu,
    advice: 'say who or what performs the action',
    applies: (sentence) => !hasActor(sentence),
  },
  {
    code: 'PRONOUN_SUBJECT',
    pattern:
      /^(?:\s*)(?:it|they|this|these|that|those|he|she)(?= (?:shall|must|should|will|may|can|is|are|has|have)\b)/giu,
    advice: 'name the subject: a requirement is read on its own',
  },
]

const SHALL = /\b(?:shall|must)\b/giu

/**
 * Finds wording that makes a requirement hard to test, in the order of its text; findings never block a write. `span`
 * counts UTF-16 units in the text that the message names: the title, the statement or a criterion.
 */
export function lintWording(...texts: Parameters<typeof findWording>): WordingFinding[] {
  return findWording(...texts).map(({ code, text, words: term, advice, span }) => ({
    code,
    message: `${text}: "${term}": ${advice}`,
    span,
  }))
}

/** The findings of `lintWording`, each in parts. */
export function findWording(
  title: string,
  statement: string,
  criteria: readonly Omit<Criterion, 'id' | 'position'>[],
): FoundWording[] {
  const texts = [
    ['title', title],
    ['statement', statement],
    ...criteria.map(({ text, given, when, then }, index): [string, string] => [
      `criterion ${String(index + 1)}`,
      text === '' ? [given, when, then].filter(Boolean).join(' ') : text,
    ]),
  ] as const
  return texts.flatMap(([name, text]) => lintText(name, text))
}

function lintText(name: string, text: string): FoundWording[] {
  return splitSentences(text).flatMap(({ sentence, start }) => {
    const found = rules.flatMap(({ code, pattern, advice, applies }) =>
      applies?.(sentence) === false
        ? []
        : [...sentence.matchAll(pattern)].map((match) =>
            finding(name, code, match[0].trim(), start + match.index, advice),
          ),
    )
    const shalls = [...sentence.matchAll(SHALL)]
    const second = shalls[1]
    if (second !== undefined) {
      const advice = 'state one demand per requirement: split the sentence'
      found.push(finding(name, 'MULTIPLE_SHALL', second[0], start + second.index, advice))
    }
    return withoutOverlaps(found)
  })
}

function finding(text: string, code: FoundWording['code'], term: string, start: number, advice: string): FoundWording {
  return { code, text, words: term, advice, span: { start, end: start + term.length } }
}

/** Of overlapping findings, keeps the longest: it says the most. */
function withoutOverlaps(found: readonly FoundWording[]): FoundWording[] {
  const ordered = found.toSorted((a, b) => a.span.start - b.span.start || b.span.end - a.span.end)
  return ordered.filter(
    (one, index) =>
      !ordered.slice(0, index).some((before) => before.span.end > one.span.start && before.code !== 'PASSIVE_NO_ACTOR'),
  )
}

function splitSentences(text: string): { sentence: string; start: number }[] {
  return [...text.matchAll(/[^.!?\n]+(?:[.!?](?!\s|$)[^.!?\n]*)*[.!?]?/g)].map((match) => ({
    sentence: match[0],
    start: match.index,
  }))
}
