import { LRUCache } from 'lru-cache'
import { lineage, type CommittedState, type Rows } from './database.ts'
import type { Schema } from './schema.ts'

/** Answers kept of one state of a database: the newest ones. */
const MOST_ANSWERS = 12
/** Bytes of answers that outlive their state, as `size` estimates them. */
const MOST_RENEWED = 32_000_000
/** Characters of texts kept of one state, with their keys. */
const MOST_CHARACTERS = 2_000_000

interface Kept {
  state: CommittedState
  answers: Map<string, Promise<unknown>>
  texts: LRUCache<string, TimedText>
}

/** A text that is made at one time, and is another one from `until` on though nothing is written: epoch milliseconds. */
export interface TimedText {
  text: string
  madeAt: number
  until: number
}

const kept = new WeakMap<Rows, Kept>()

/**
 * What `compute` answers, computed once for each committed state of the database (decision 079). `key` names what else the
 * answer depends on, time included. Callers share the answer and must not change it. Rows that write are read each time.
 */
export async function remembered<T>(rows: Rows, key: string, compute: () => Promise<T>): Promise<T> {
  const state = await rows.committedState?.()
  if (state === undefined) return compute()
  const { answers } = keptAt(rows, state)
  // The caller that asked with this key computed a T.
  const known = answers.get(key) as Promise<T> | undefined
  if (known !== undefined) return known
  const oldest = answers.size >= MOST_ANSWERS ? answers.keys().next().value : undefined
  if (oldest !== undefined) answers.delete(oldest)
  const answer = compute()
  answers.set(key, answer)
  answer.catch(() => answers.delete(key))
  return answer
}

interface Renewing<T> {
  /** Makes the answer of an earlier one, which callers may still read, or of nothing. */
  renew: (before: T | undefined) => Promise<T>
  /** Bytes that an answer takes, roughly. */
  size: (answer: T) => number
}

/**
 * An answer for one committed state, which `renew` makes of one for an earlier state by reading what changed since (decision
 * 094). It has to read its marks before what they mark. An answer larger than all that is kept is made for each call.
 */
export async function renewed<T>(rows: Rows, key: string, { renew, size }: Renewing<T>): Promise<T> {
  const state = await rows.committedState?.()
  if (state === undefined) return renew(undefined)
  const all = renewedIn(rows)
  // The caller that asked with this key renewed a T.
  const before = all.get(key) as Renewed<T> | undefined
  if (before?.state === state) return before.answer
  const isEarlier = before !== undefined && lineage(before.state) === lineage(state)
  const earlier = isEarlier ? before.answer.catch(() => undefined) : undefined
  const now: Renewed<T> = {
    state,
    answer: earlier === undefined ? renew(undefined) : earlier.then(renew),
    bytes: before?.bytes ?? 1,
  }
  all.set(key, now)
  try {
    const answer = await now.answer
    // Another call may have renewed it since.
    if (all.peek(key) === now) all.set(key, { ...now, made: answer, bytes: size(answer) })
    return answer
  } catch (error) {
    if (all.peek(key) === now) all.delete(key)
    throw error
  }
}

interface Renewed<T> {
  state: CommittedState
  answer: Promise<T>
  /** What it resolved to. */
  made?: T
  bytes: number
}

/** Notes the size of an answer of `renewed` after a caller has added to it. */
export function weighAgain(rows: Rows, key: string, answer: unknown, bytes: number): void {
  const all = renewedIn(rows)
  const now = all.peek(key)
  if (now !== undefined && now.made === answer) all.set(key, { ...now, bytes })
}

/** `remembered`, for an answer that becomes another one at `until`, though nothing is written: epoch milliseconds. */
export async function rememberedUntil<T>(
  rows: Rows,
  key: string,
  { now, compute }: { now: number; compute: () => Promise<{ answer: T; until: number }> },
): Promise<T> {
  const kept = await remembered<{ last?: { answer: T; madeAt: number; until: number } }>(rows, key, async () => ({}))
  const { last } = kept
  if (last !== undefined && last.madeAt <= now && now < last.until) return last.answer
  const { answer, until } = await compute()
  kept.last = { answer, madeAt: now, until }
  return answer
}

interface OfTables<T> {
  /** All that `read` reads. */
  tables: readonly (keyof Schema)[]
  /** Epoch milliseconds. */
  now: number
  /** Reads the answer; it may return that of before where nothing differs. */
  read: (before: T | undefined) => Promise<{ answer: T; until: number }>
  /** Whether an answer is what this caller asks for: what else it depends on is the same. */
  isFor?: (answer: T) => boolean
  /** Bytes that an answer takes, roughly. */
  size: (answer: T) => number
}

/**
 * `rememberedUntil`, also over commits that change none of the tables, where the database can tell (decision 093). An answer
 * larger than all that is kept is made for each call.
 */
export async function rememberedOfTables<T>(rows: Rows, key: string, asked: OfTables<T>): Promise<T> {
  const { tables, now, read, isFor = () => true, size } = asked
  interface Last {
    answer: T
    madeAt: number
    until: number
    state: CommittedState | undefined
  }
  const kept = await renewed<{ last: Last }>(rows, key, {
    async renew(before) {
      // Before what it says something of.
      const state = await rows.tableState?.(tables)
      if (before !== undefined && state !== undefined && state === before.last.state) return before
      return { last: { ...(await read(before?.last.answer)), madeAt: now, state } }
    },
    size: ({ last }) => size(last.answer),
  })
  const { last } = kept
  if (last.madeAt <= now && now < last.until && isFor(last.answer)) return last.answer
  kept.last = { ...(await read(last.answer)), madeAt: now, state: last.state }
  return kept.last.answer
}

const renewing = new WeakMap<Rows, LRUCache<string, Renewed<unknown>>>()

function renewedIn(rows: Rows): LRUCache<string, Renewed<unknown>> {
  const known = renewing.get(rows)
  if (known !== undefined) return known
  const fresh = new LRUCache<string, Renewed<unknown>>({ maxSize: MOST_RENEWED, sizeCalculation: ({ bytes }) => bytes })
  renewing.set(rows, fresh)
  return fresh
}

/**
 * `remembered` for a text, until the time at which it becomes another one: as many as fit into 2,000,000 characters, those that
 * were asked for last.
 */
export async function rememberedText(
  rows: Rows,
  key: string,
  { now, compute }: { now: number; compute: () => Promise<TimedText> },
): Promise<string> {
  const state = await rows.committedState?.()
  if (state === undefined) return (await compute()).text
  const { texts } = keptAt(rows, state)
  const known = texts.get(key)
  if (known !== undefined && known.madeAt <= now && now < known.until) return known.text
  const made = await compute()
  if (made.until > made.madeAt) texts.set(key, made)
  return made.text
}

function keptAt(rows: Rows, state: CommittedState): Kept {
  const known = kept.get(rows)
  if (known?.state === state) return known
  const texts = new LRUCache<string, TimedText>({
    maxSize: MOST_CHARACTERS,
    sizeCalculation: ({ text }, key) => text.length + key.length,
  })
  const fresh: Kept = { state, answers: new Map(), texts }
  kept.set(rows, fresh)
  return fresh
}
