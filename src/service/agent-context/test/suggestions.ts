import { cutWithEllipsis, onOneLine } from '../../../lib/text.ts'
import type * as z from 'zod'
import type { TestSuggestion } from '../../../contract/test-context.ts'
import type { ConventionsBody } from './conventions.ts'

export type SuggestionBody = z.input<typeof TestSuggestion>

export interface SuggestionFacts {
  key: string
  title: string
  statement: string
  /** The criteria that no test covers; for a requirement without criteria the statement takes their place. */
  criteria: readonly { id: string; text: string; given: string; when: string; then: string }[]
  hasCriteria: boolean
  /** The keys of unresolved issues in its files. */
  issueKeys: readonly string[]
}

const LONGEST_TITLE = 120
const MOST_CASES = 20
const UNIT = String.raw`(?:\s?(?!(?:to|and|or)\b)(?:%|[a-z]{1,12}))?`
const QUANTITY = String.raw`\d[\d.,]*${UNIT}`
/** A number or a range, with its unit, but not a version or a part of a name. */
const NUMBER = new RegExp(String.raw`(?<![\w.-])${QUANTITY}(?:\s*(?:-|–|to|and)\s*${QUANTITY})?`, 'giu')
const NEGATIVE =
  /\b(?:(?:shall|must|should|may|can) not|cannot|never|invalid|error|reject(?:s|ed)?|refus(?:es?|ed)|den(?:y|ies|ied)|fail(?:s|ed)?|without|missing|unknown|expired)\b|\bif\b[^.]*\bthen\b/iu
const STATE = /\b(?:while|until|once|after|before|during|already|again|second time)\b/iu

/**
 * Suggests cases to write, by rule (contract §9.2): one happy path per uncovered criterion, a boundary case per number,
 * a negative case if the text mentions refusal or failure, a state case if it mentions time, a regression case per open
 * issue.
 */
export function suggestCases(facts: SuggestionFacts): SuggestionBody[] {
  const { title, statement, criteria, hasCriteria } = facts
  const units = hasCriteria
    ? criteria.map((one) => ({ id: one.id, text: one.text === '' ? steps(one) : one.text }))
    : [{ id: '', text: statement === '' ? title : firstSentence(statement) }]
  const perUnit = units.flatMap(({ id, text }) => [
    suggestion(id, 'happy_path', text, 'the case in which everything works as intended'),
    ...boundaries(id, text),
    ...(NEGATIVE.test(text)
      ? [
          suggestion(
            id,
            'negative',
            `changes nothing: ${text}`,
            'prove that it does not happen and that nothing changes',
          ),
        ]
      : []),
    ...(STATE.test(text) ? [suggestion(id, 'state', `in order: ${text}`, 'set up the state first, then act')] : []),
  ])
  const regressions = facts.issueKeys.map((key) =>
    suggestion(
      '',
      'regression',
      `does not fail as in ${key}`,
      `reproduce the crash of ${key} first: get_fix_context has its frames`,
    ),
  )
  return [...perUnit, ...regressions].slice(0, MOST_CASES)
}

function boundaries(id: string, text: string): SuggestionBody[] {
  const numbers = [...new Set((text.match(NUMBER) ?? []).map((found) => found.trim().replace(/[.,]+$/, '')))]
  return numbers
    .slice(0, 3)
    .map((number) =>
      suggestion(
        id,
        'boundary',
        `at the boundary of ${number}: ${text}`,
        `just below, exactly at and just above ${number}`,
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

/** The file for a new test: that of an existing linked test, '' without one, or else where the product's pattern puts it. */
export function targetFile(
  { test_file_pattern: pattern }: Pick<ConventionsBody, 'test_file_pattern'>,
  { testFile, codeFiles, title }: { testFile: string; codeFiles: readonly string[]; title: string },
): string {
  if (testFile !== '') return testFile
  const code = codeFiles.find((file) => /\.\w+$/.test(file) && !/[*?[{]/.test(file))
  const used = pattern === '' ? 'test/<dir>/<name>.test.ts' : pattern
  const folder = code === undefined ? '' : code.slice(0, code.lastIndexOf('/') + 1)
  const name = code === undefined ? slug(title) : code.slice(folder.length).replace(/\.\w+$/, '')
  const isRooted = !used.startsWith('<dir>')
  // A separate test tree mirrors the folders below the source folder.
  const dir = isRooted ? folder.replace(/^(?:src|lib|app)\//, '') : folder
  return used.replace('<dir>/', dir).replace('<name>', name)
}

function slug(title: string): string {
  return (
    title
      .normalize('NFKD')
      .replace(/[^\w]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .toLowerCase()
      .slice(0, 60) || 'requirement'
  )
}
