import { cutWithEllipsis, onOneLine } from '../../../lib/text.ts'
import type * as z from 'zod'
import type { TestSuggestion } from '../../../contract/test-context.ts'
import type { ConventionsBody, TestFile } from './conventions.ts'

export type SuggestionBody = z.input<typeof TestSuggestion>

export interface SuggestionFacts {
  key: string
  title: string
  statement: string
  /** The criteria that no test covers; for a requirement without criteria the statement takes their place. */
  criteria: readonly { id: string; text: string; given: string; when: string; then: string }[]
  hasCriteria: boolean
  /** The keys of unresolved issues that crash in a file that it names. */
  issueKeys: readonly string[]
}

const LONGEST_TITLE = 120
const NUMBER_UNIT = String.raw`(?:\s?(?!(?:to|and|or)\b)(?:%|[a-z]{1,12}))?`
const QUANTITY = String.raw`\d[\d.,]*${NUMBER_UNIT}`
const RANGE = String.raw`${QUANTITY}\s*(?:-|–|to|and)\s*${QUANTITY}`
/** Words that make the number after them a limit. */
const BEFORE = String.raw`(?:at (?:most|least)|up to|until|within|between|from|no(?:t)? (?:more|less|fewer|longer|later) than|(?:more|less|fewer|longer|shorter|older|younger|greater|larger|smaller|higher|lower) than|over|under|above|below|exceed(?:s|ing)?|minimum(?: of)?|maximum(?: of)?|limit(?:ed)?(?: of| to)?|[<>≤≥]=?)`
/** Words that make the number before them a limit. */
const AFTER = String.raw`(?:or (?:more|less|fewer|above|below|older|younger|longer|shorter)|and (?:more|above|over)|at (?:most|least)|on(?:wards)?(?=[\s,.;]|$)|(?:minimum|maximum)\b)`
/**
 * A number or a range that is a limit, with its unit. A number of another kind, such as a status or an amount in an example,
 * has no boundary.
 */
const LIMIT = new RegExp(
  String.raw`(?<![\w.-])(?:(?<range>${RANGE})|(?<=(?:^|\s)${BEFORE}\s*)(?<after>${QUANTITY})|(?<before>${QUANTITY})(?=\s+${AFTER}))`,
  'giu',
)
const NEGATIVE =
  /\b(?:(?:shall|must|should|may|can) not|cannot|never|invalid|error|reject(?:s|ed)?|refus(?:es?|ed)|den(?:y|ies|ied)|fail(?:s|ed)?|without|missing|unknown|expired|nothing)\b|\bno\b[^,.]*\b(?:is|are)\b|\bif\b[^.]*\bthen\b/iu
const STATE = /\b(?:while|until|once|after|before|during|already|again|second time)\b/iu

/**
 * Suggests cases to write, by rule (contract §9.2): one happy path per uncovered criterion, a boundary case per limit, a
 * negative case if the text demands refusal or speaks of failure, a state case if it speaks of order in time, and a
 * regression case per issue that crashes in its files. What is given in a criterion is set up, not tested.
 */
export function suggestCases(facts: SuggestionFacts): SuggestionBody[] {
  const { title, statement, criteria, hasCriteria } = facts
  const units = hasCriteria
    ? criteria.map((one) => ({ id: one.id, text: one.text === '' ? steps(one) : one.text, demand: demandOn(one) }))
    : [sentenceUnit(statement === '' ? title : firstSentence(statement))]
  const perUnit = units.flatMap(({ id, text, demand }) => [
    suggestion(id, 'happy_path', text, ''),
    ...boundaries(id, text, demand),
    ...(NEGATIVE.test(demand)
      ? [
          suggestion(
            id,
            'negative',
            `changes nothing: ${text}`,
            'prove that it does not happen and that nothing changes',
          ),
        ]
      : []),
    ...(STATE.test(demand) ? [suggestion(id, 'state', `in order: ${text}`, 'set up the state first, then act')] : []),
  ])
  const regressions = facts.issueKeys.map((key) =>
    suggestion(
      '',
      'regression',
      `does not fail as in ${key}`,
      `reproduce the crash of ${key} first: get_fix_context has its frames`,
    ),
  )
  return [...perUnit, ...regressions]
}

function sentenceUnit(text: string) {
  return { id: '', text, demand: text }
}

/** What a criterion demands, without what it takes as given. */
function demandOn({ text, when, then }: SuggestionFacts['criteria'][number]): string {
  const written = text.replace(/^given\b[^]*?(?=,?\s*\bwhen\b)/i, '')
  return [written, when, then].filter((part) => part !== '').join(', ')
}

function boundaries(id: string, text: string, demand: string): SuggestionBody[] {
  const found = Array.from(demand.matchAll(LIMIT), ([limit]) => limit.trim().replace(/[.,]+$/, ''))
  return [...new Set(found)]
    .slice(0, 3)
    .map((limit) =>
      suggestion(
        id,
        'boundary',
        `at the boundary of ${limit}: ${text}`,
        `just below, exactly at and just above ${limit}`,
      ),
    )
}

function suggestion(id: string, technique: SuggestionBody['technique'], title: string, notes: string): SuggestionBody {
  return { criterion_id: id, title: cutWithEllipsis(onOneLine(title), LONGEST_TITLE), technique, notes }
}

function steps({ given, when, then }: SuggestionFacts['criteria'][number]): string {
  return [given && `given ${given}`, when && `when ${when}`, then && `then ${then}`].filter(Boolean).join(', ')
}

function firstSentence(text: string): string {
  return /^[^\n]*?[.!?](?=\s|$)|^[^\n]+/.exec(text.trim())?.[0] ?? text
}

/**
 * The file for a new test: that of an existing linked test, or the one that is named after a code file as the pattern says;
 * none where no such file exists yet.
 */
export function targetFile(
  { test_file_pattern: pattern }: Pick<ConventionsBody, 'test_file_pattern'>,
  {
    linked,
    codeFiles,
    testFiles,
  }: { linked: TestFile | undefined; codeFiles: readonly string[]; testFiles: readonly TestFile[] },
): TestFile | undefined {
  if (linked !== undefined) return linked
  const ending = pattern.slice(pattern.lastIndexOf('/') + 1)
  const names = codeFiles.flatMap((file) => {
    const [, name] = /([^/*?[{]+)\.\w+$/.exec(file) ?? []
    return name === undefined || ending === '' ? [] : [ending.replace('<name>', name)]
  })
  return testFiles.find(({ path }) => names.includes(path.slice(path.lastIndexOf('/') + 1)))
}
