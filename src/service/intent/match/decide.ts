import { capitalised } from '../../../lib/counted.ts'
import {
  compareRead,
  readQuantities,
  readStatement,
  type Comparison,
  type FoundQuantity,
  type Thresholds,
} from '../../quality/requirements/similarity/index.ts'
import { ruleCriterion } from '../criterion.ts'
import type { Candidate } from '../types.ts'
import { decideChange, draftValue } from './changed.ts'
import { withoutReplaced } from './change.ts'
import { hasCriterion, missingCriteria } from './criteria.ts'
import { decided, refused, saidBy, type Decision, type Known } from './decision.ts'
import { namedKeys, retiredKey, unknownKey } from './keyed.ts'
import type { Pool } from './pool.ts'
import { decideRetirement, retired } from './retire.ts'
import { hasValue, rewriteValue } from './rewrite.ts'

/** With another word in it, a contradiction has to be this close to be about the same subject. */
const SAME_SUBJECT = 0.85
const LONGEST_SENTENCE = 1000
const instead = /^instead,\s*(?=\p{L})/iu

interface Compared extends Comparison {
  known: Known
}

/** Decides what becomes of one candidate, given all requirements and earlier candidates. */
export function decide(candidate: Candidate, pool: Pool, thresholds: Thresholds): Decision {
  const keys = namedKeys(candidate)
  const unknown = keys.find((key) => pool.find(key) === undefined)
  if (unknown !== undefined) return refused(candidate, unknownKey(unknown, pool))
  if (keys.length > 0) return decideNamed(candidate, keys, { pool, thresholds })
  const retirement = candidate.retires ? decideRetirement(candidate, pool) : undefined
  return retirement ?? decideChange(candidate, pool, undefined) ?? decideByWords(candidate, pool, thresholds)
}

interface Place {
  pool: Pool
  thresholds: Thresholds
}

/** Decides about the requirements that the text names by their keys. */
function decideNamed(candidate: Candidate, keys: readonly string[], { pool, thresholds }: Place): Decision {
  if (candidate.retires) return retireNamed(candidate, keys, pool)
  const statement = plainStatement(candidate)
  const read = readStatement({ ...candidate, statement })
  const [compared] = keys
    .map((key) => pool.find(key)!)
    .map(({ known, read: whole }) => ({ ...compareRead(whole, read, thresholds), known }))
    .sort((one, other) => other.similarity - one.similarity)
  const { known, saysMore, similarity, verdict } = compared!
  const change = decideChange(candidate, pool, known)
  if (change !== undefined) return change
  const isOther = saysMore.before && saysMore.after
  const value =
    candidate.pattern === 'PATTERN_ITEM' || !saysMore.before ? undefined : draftValue(candidate, known, statement)
  if (value !== undefined) return value
  if (verdict === 'conflict' && (!isOther || similarity >= SAME_SUBJECT))
    return contradict(candidate, compared!, statement)
  // An item is the requirement itself, in its new words.
  const isReworded = candidate.pattern === 'PATTERN_ITEM' && candidate.statement !== '' && verdict !== 'duplicate'
  if (isReworded) return contradict(candidate, { ...compared!, differences: ['it is worded anew'] }, statement)
  return (
    (verdict === 'different' ? draftValue(candidate, known, statement) : undefined) ??
    extend(candidate, compared!, statement)
  )
}

function retireNamed(candidate: Candidate, keys: readonly string[], pool: Pool): Decision {
  const named = retiredKey(saidBy(candidate), keys)
  if (named === undefined) {
    return refused(
      candidate,
      'It names several requirements; write for each key in a sentence of its own what becomes of it.',
    )
  }
  const decision = retired(candidate, pool.find(named.gone)!.known, 1)
  if (named.replacement === undefined) return decision
  return { ...decision, replacement: { known: pool.find(named.replacement)!.known } }
}

/** Decides by what the statements say; a half of a sentence may be in a requirement that has the whole. */
function decideByWords(candidate: Candidate, pool: Pool, thresholds: Thresholds): Decision {
  const own = decideStatement(candidate, plainStatement(candidate), pool, thresholds)
  const { quote } = candidate.source
  const isHalf = quote.length > candidate.statement.length * 1.2 && quote.length < LONGEST_SENTENCE
  if (own.action === 'DUPLICATE' || !isHalf || candidate.criteria.length > 0) return own
  const whole = decideStatement(candidate, quote.trim(), pool, thresholds)
  // Its own contradiction is in its own words; the quote may begin with what people said around it.
  return whole.action === 'DUPLICATE' || (whole.action === 'CONFLICT' && own.action === 'CREATE') ? whole : own
}

function decideStatement(candidate: Candidate, statement: string, pool: Pool, thresholds: Thresholds): Decision {
  const read = readStatement({ ...candidate, statement })
  const compared = pool
    .nearest(read)
    .map(({ known, read: whole }) => ({ ...compareRead(whole, read, thresholds), known }))
    .filter(({ verdict }) => verdict !== 'different')
    .sort((one, other) => rank(other) - rank(one))
  const [best] = compared
  if (best === undefined) return decided(candidate, 'CREATE', { texts: withoutInstead(candidate) })
  if (best.known.isDeprecated) return besides(candidate, best, [`${best.known.key} says this, but is deprecated`])
  if (best.verdict === 'duplicate') return extend(candidate, best, statement)
  const isOther = best.saysMore.before && best.saysMore.after
  if (best.verdict === 'conflict') {
    const isContradiction = best.known.id !== '' && (!isOther || best.similarity >= SAME_SUBJECT) && !saysLess(best)
    return isContradiction ? contradict(candidate, best, statement) : besides(candidate, best, best.differences)
  }
  if (isOther || best.saysMore.before || best.known.id === '') return besides(candidate, best, [])
  return extend(candidate, best, statement)
}

/** Whether the candidate only leaves out what the requirement says: that is no contradiction. */
function saysLess({ saysMore, differences }: Compared): boolean {
  return saysMore.before && !saysMore.after && differences.every((one) => one.endsWith(' was left out'))
}

/** Duplicates first, then what contradicts, then what is related; deprecated requirements only where no other says it. */
function rank({ verdict, similarity, known, differences }: Compared): number {
  const kind = { duplicate: 4, conflict: 2, related: 2, different: 0 }[verdict]
  return kind + similarity - (known.isDeprecated ? 4 : 0) - differences.length / 1000
}

/** A new requirement that is close to another one. */
function besides(candidate: Candidate, { known, similarity }: Compared, differences: readonly string[]): Decision {
  return decided(candidate, 'CREATE', { matched: { known, similarity }, differences, texts: withoutInstead(candidate) })
}

/** Adds to a requirement what the candidate says more: its criteria, or the statement as one. */
function extend(candidate: Candidate, { known, similarity, verdict }: Compared, statement: string): Decision {
  const matched = { known, similarity }
  const missing = missingCriteria(candidate, known)
  if (missing.length > 0) return decided(candidate, 'UPDATE', { matched, criteria: missing })
  const isSaid = verdict === 'duplicate' || candidate.criteria.length > 0 || hasCriterion(known, statement)
  if (isSaid) return decided(candidate, 'DUPLICATE', { matched })
  return decided(candidate, 'UPDATE', { matched, criteria: [ruleCriterion(statement)] })
}

/** Drafts the candidate's statement in place of the one that it contradicts. */
function contradict(candidate: Candidate, { known, similarity, differences }: Compared, statement: string): Decision {
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
function plainStatement(candidate: Candidate): string {
  const said = saidBy(candidate)
  const { statement } = withoutReplaced(said.replace(/^(?:REQ-\d+\s*[:–-]?|instead,)\s*|\s*[([]REQ-\d+[)\]]/giu, ''))
  return statement === '' ? said : capitalised(statement)
}

/** A requirement stands alone: "Instead, orders are …" becomes "Orders are …". */
function withoutInstead({ title, statement }: Candidate): Decision['texts'] {
  if (!instead.test(statement)) return {}
  const rest = (text: string) => capitalised(text.replace(instead, ''))
  return { title: rest(title), statement: rest(statement) }
}

function plainTitle({ title }: Candidate): string {
  return withoutReplaced(title).statement
}
