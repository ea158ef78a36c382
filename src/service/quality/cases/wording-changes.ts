import { diffWordsWithSpace } from 'diff'
import { cutWithEllipsis } from '../../../lib/text.ts'
import type { RequirementVersionRow } from '../../sql/schema-quality.ts'
import { readJson } from '../../sql/json.ts'
import { Criteria } from '../requirements/columns.ts'
import { criterionInWords } from '../requirements/content.ts'

type Wording = Pick<RequirementVersionRow, 'title' | 'statement' | 'acceptance_criteria'>

/** Beyond so many differing words a comparison says nothing that reading both would not, and takes long. */
const MOST_EDITS = 1000
const LONGEST = 2000
const CONTEXT = 40

/**
 * How the wording of a requirement changed, line by line: `The cart shows the [-sum-]{+total+}`. Lines without a change
 * are left out; at most 2,000 characters. Empty when nothing but spacing at the ends of lines changed.
 */
export function describeChange(before: Wording, after: Wording): string {
  const parts = diffWordsWithSpace(asText(before), asText(after), { maxEditLength: MOST_EDITS })
  if (parts === undefined) return 'the wording is new as a whole'
  const lines = parts
    .map(({ value, added, removed }) => eachLine(value, added ? ['{+', '+}'] : removed ? ['[-', '-]'] : undefined))
    .join('')
    .split('\n')
    .filter((line) => line.includes('{+') || line.includes('[-'))
  return cutWithEllipsis(lines.join('\n'), LONGEST)
}

function eachLine(value: string, marks: readonly [string, string] | undefined): string {
  const lines = value.split('\n')
  if (marks === undefined) return lines.map(shorten).join('\n')
  return lines.map((line) => (line === '' ? '' : marks[0] + line + marks[1])).join('\n')
}

/** The ends of what did not change. */
function shorten(text: string): string {
  return text.length <= 3 * CONTEXT ? text : `${text.slice(0, CONTEXT)} … ${text.slice(-CONTEXT)}`
}

function asText({ title, statement, acceptance_criteria: criteria }: Wording): string {
  const listed = readJson(Criteria, criteria).map((one, index) => `${String(index + 1)}. ${criterionInWords(one)}`)
  return [title, statement, ...listed].filter((line) => line !== '').join('\n')
}
