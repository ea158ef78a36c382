import { readQuantities, readStatement, wordShare } from '../../quality/requirements/similarity/index.ts'
import type { Candidate } from '../types.ts'
import { readChange, withoutKeys, type ChangeWords } from './change.ts'
import { ambiguous, decided, firstAndRivals, refused, saidBy, type Decision, type Known } from './decision.ts'
import type { Pool } from './pool.ts'
import { hasValue, rewriteValue } from './rewrite.ts'

/** The least share of the words for a changed thing that its requirement has. */
const NAMED = 0.6

/**
 * Decides for a sentence such as "raise the timeout from 30 to 60 seconds" which requirement it changes, and drafts that
 * requirement's own words with the new value. Undefined where it is an ordinary statement.
 */
export function decideChange(candidate: Candidate, pool: Pool, named: Known | undefined): Decision | undefined {
  const change = readChange(saidBy(candidate))
  if (change === undefined) return undefined
  if (named !== undefined) return draftChange(candidate, named, change, 1)
  const [first, ...rivals] = firstAndRivals(findChanged(change, pool))
  if (first === undefined) {
    if (!change.isStrong) return undefined
    return refused(candidate, 'No requirement matches what is to change; name its key, such as REQ-12.')
  }
  if (rivals.length === 0) return draftChange(candidate, first.known, change, first.share)
  return change.isStrong ? ambiguous(candidate, [first, ...rivals], 'the one to change') : undefined
}

/** Requirements with the subject and a value to change; those with the old value rank above all others. */
function findChanged({ subject, old, now }: ChangeWords, pool: Pool) {
  const words = subject === '' ? (old ?? '') : subject
  const read = readStatement({ title: '', statement: words })
  return pool
    .nearest(readStatement({ title: '', statement: `${words} ${old ?? ''}` }))
    .filter(
      ({ known }) =>
        known.id !== '' &&
        !known.isDeprecated &&
        [saidBy(known), known.title].some((text) => rewriteValue(text, old, now) !== 'none'),
    )
    .map(({ known, read: whole }) => {
      const share = wordShare(read, whole)
      const hasOld = old !== undefined && hasValue(saidBy(known), old, now)
      return { known, share, rank: share + (hasOld ? 1 : 0) }
    })
    .filter(({ share }) => share >= NAMED)
}

function draftChange(
  candidate: Candidate,
  known: Known,
  { old, now }: ChangeWords,
  share: number,
): Decision | undefined {
  const matched = { known, similarity: Math.round(share * 1000) / 1000 }
  const inStatement = rewriteValue(saidBy(known), old, now)
  const rewritten = inStatement === 'none' ? rewriteValue(known.title, old, now) : inStatement
  if (rewritten === 'same')
    return decided(candidate, 'DUPLICATE', { matched, differences: ['it has this value already'] })
  if (rewritten === 'none') return undefined
  if (rewritten === 'unclear') {
    const message = `${known.key} has several values that could be meant; write its whole statement with the new one.`
    return { ...refused(candidate, message), matched }
  }
  const differences = [`${rewritten.before} became ${rewritten.after}`]
  if (old !== undefined && ![known.title, known.statement].some((text) => hasValue(text, old, now))) {
    differences.push(`the text gives ${old} as the old value, ${known.key} has ${rewritten.before}`)
  }
  if (inStatement === 'none') {
    differences.push('only the title has the value: check the statement')
    return decided(candidate, 'CONFLICT', { matched, differences, texts: { title: rewritten.text } })
  }
  return decided(candidate, 'CONFLICT', {
    matched,
    differences: [...differences, ...leftInCriteria(known, rewritten.before)],
    texts: draftTexts(known, rewritten.text, old ?? rewritten.before, now),
  })
}

/** Drafts the only value of a statement in a requirement that the text names, in the requirement's own words. */
export function draftValue(candidate: Candidate, known: Known, statement: string): Decision | undefined {
  const [value, ...others] = readQuantities(withoutKeys(statement))
  if (value === undefined || others.length > 0 || candidate.criteria.length > 0) return undefined
  const change = { subject: '', old: undefined, now: value.text, isStrong: true }
  const decision = draftChange(candidate, known, change, 1)
  return decision?.action === 'CONFLICT' ? decision : undefined
}

function draftTexts(known: Known, text: string, old: string, now: string): Decision['texts'] {
  if (known.statement === '') return { title: text }
  const title = hasValue(known.title, old, now) ? rewriteValue(known.title, old, now) : 'none'
  return { statement: text, ...(typeof title === 'object' && { title: title.text }) }
}

/** Criteria that still have the old value. */
function leftInCriteria({ criteria }: Known, before: string): string[] {
  const [value] = readQuantities(before)
  if (value === undefined) return []
  return criteria.flatMap((one, index) => {
    const has = readQuantities(Object.values(one).join(' ')).some(
      (other) => other.value === value.value && other.dimension === value.dimension,
    )
    return has ? [`criterion ${String(index + 1)} still says ${before}`] : []
  })
}
