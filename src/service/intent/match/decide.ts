import { capitalised } from '../../../lib/counted.ts'
import {
  compareRead,
  readStatement,
  type Comparison,
  type Thresholds,
} from '../../quality/requirements/similarity/index.ts'
import { ruleCriterion } from '../criterion.ts'
import type { Candidate } from '../types.ts'
import { decideChange, draftValue } from './changed.ts'
import { contradict, plainStatement } from './contradict.ts'
import { hasCriterion, missingCriteria } from './criteria.ts'
import { decided, refused, saidBy, type Decision, type Known } from './decision.ts'
import { namedKeys, retiredKey, unknownKey } from './keyed.ts'
import type { Pool } from './pool.ts'
import { decideRetirement, retired } from './retire.ts'

/** How similar a contradiction with a replaced word has to be to count as the same subject. */
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
  const { known, saysMore, verdict } = compared!
  const change = decideChange(candidate, pool, known)
  if (change !== undefined) return change
  const isItem = candidate.pattern === 'PATTERN_ITEM'
  const isReworded = isItem && candidate.statement !== '' && verdict !== 'duplicate'
  // "In REQ-1 the limit is 60 seconds" gives only the new value.
  const isShort = verdict === 'different' ? !isReworded : saysMore.before && !isItem
  const value = isShort ? draftValue(candidate, known, statement) : undefined
  if (value !== undefined) return value
  if (verdict === 'conflict' && isSameSubject(compared!)) return contradict(candidate, compared!, statement)
  // An item is the requirement itself, in its new words.
  if (isReworded) {
    return contradict(candidate, { ...compared!, differences: ['the wording changed'] }, statement)
  }
  return extend(candidate, compared!, statement)
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

/** Decides by what the statements say. Half a sentence may belong to a requirement that has the whole sentence. */
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
  if (best.known.isDeprecated) return createNear(candidate, best, [`${best.known.key} says this, but is deprecated`])
  if (best.verdict === 'duplicate') return extend(candidate, best, statement)
  if (best.verdict === 'conflict') {
    const isContradiction = best.known.id !== '' && isSameSubject(best) && !saysLess(best)
    return isContradiction ? contradict(candidate, best, statement) : createNear(candidate, best, best.differences)
  }
  if (best.saysMore.before || best.known.id === '') return createNear(candidate, best, [])
  return extend(candidate, best, statement)
}

/** Whether a contradiction is about the same thing: no word was replaced, or the rest is very close. */
function isSameSubject({ saysMore, similarity }: Compared): boolean {
  return !(saysMore.before && saysMore.after) || similarity >= SAME_SUBJECT
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
function createNear(candidate: Candidate, { known, similarity }: Compared, differences: readonly string[]): Decision {
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

/** A requirement stands alone: "Instead, orders are …" becomes "Orders are …". */
function withoutInstead({ title, statement }: Candidate): Decision['texts'] {
  if (!instead.test(statement)) return {}
  const rest = (text: string) => capitalised(text.replace(instead, ''))
  return { title: rest(title), statement: rest(statement) }
}
