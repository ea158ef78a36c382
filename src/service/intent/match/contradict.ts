import { capitalised } from '../../../lib/counted.ts'
import { readQuantities, type FoundQuantity } from '../../quality/requirements/similarity/index.ts'
import type { Candidate } from '../types.ts'
import { withoutReplaced } from './change.ts'
import { missingCriteria } from './criteria.ts'
import { decided, saidBy, type Decision, type Known } from './decision.ts'
import { hasValue, rewriteValue } from './rewrite.ts'

interface Contradiction {
  known: Known
  similarity: number
  differences: readonly string[]
}

/** Drafts the candidate's statement as the new text of the requirement that it contradicts. */
export function contradict(
  candidate: Candidate,
  { known, similarity, differences }: Contradiction,
  statement: string,
): Decision {
  const texts = known.statement === '' ? { title: plainTitle(candidate) } : draftTexts(candidate, known, statement)
  const { old } = withoutReplaced(saidBy(candidate))
  return decided(candidate, 'CONFLICT', {
    matched: { known, similarity },
    differences: [...differences, ...wrongOldValue(known, old)],
    texts,
    criteria: missingCriteria(candidate, known),
  })
}

/** The title changes where it has a value that the new statement has not. */
function draftTexts(candidate: Candidate, known: Known, statement: string): Decision['texts'] {
  const now = readQuantities(statement)
  const isOutdated = readQuantities(known.title).some(
    (one) => !now.some(({ value, dimension }) => value === one.value && dimension === one.dimension),
  )
  return { statement, ...(isOutdated && { title: retitled(known, statement) ?? plainTitle(candidate) }) }
}

/** The requirement's title with its values as in the new statement; undefined where they cannot be told apart. */
function retitled({ title, statement: before }: Known, statement: string): string | undefined {
  const [was, now] = [readQuantities(before), readQuantities(statement)]
  if (was.length !== now.length) return undefined
  const text = was.reduce((words, one, index) => {
    const other = now[index]!
    return one.value === other.value ? words : withValue(words, one, other)
  }, title)
  return text === title ? undefined : text
}

/** The text with one value for another, where it has that value, with its unit or without. */
function withValue(text: string, was: FoundQuantity, now: FoundQuantity): string {
  const [number, bare] = [was, now].map(({ text: whole, numberEnd, start }) => whole.slice(0, numberEnd - start))
  const pairs = [
    [was.text, now.text],
    [number!, bare!],
  ] as const
  const pair = pairs.find(([old, fresh]) => hasValue(text, old, fresh))
  const rewritten = pair && rewriteValue(text, ...pair)
  return rewritten === undefined || typeof rewritten === 'string' ? text : rewritten.text
}

function wrongOldValue(known: Known, old: string | undefined): string[] {
  const [given] = old === undefined ? [] : readQuantities(old)
  if (given === undefined) return []
  const has = readQuantities(`${known.title} ${known.statement}`).some(
    // "Instead of 30" of a requirement with 30 minutes.
    ({ value, text }) => value === given.value || (given.dimension === '' && text.startsWith(`${given.text} `)),
  )
  return has ? [] : [`the text gives ${given.text} as the old value, which ${known.key} does not have`]
}

/** The statement without a leading key and without the value that it replaces. */
export function plainStatement(candidate: Candidate): string {
  const said = saidBy(candidate)
  const { statement } = withoutReplaced(said.replace(/^(?:REQ-\d+\s*[:–-]?|instead,)\s*|\s*[([]REQ-\d+[)\]]/giu, ''))
  return statement === '' ? said : capitalised(statement)
}

function plainTitle({ title }: Candidate): string {
  return withoutReplaced(title).statement
}
