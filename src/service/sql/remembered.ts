import { LRUCache } from 'lru-cache'
import type { Rows } from './database.ts'

/** Answers kept of one state of a database: the newest ones. */
const MOST_ANSWERS = 12
/** Characters of texts kept of one state, with their keys. */
const MOST_CHARACTERS = 2_000_000

interface Kept {
  state: number
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
export function remembered<T>(rows: Rows, key: string, compute: () => Promise<T>): Promise<T> {
  const state = rows.committedState?.()
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

/**
 * The same for a text, until the time at which it becomes another one: as many as fit into 2,000,000 characters, those that
 * were asked for last.
 */
export async function rememberedText(
  rows: Rows,
  key: string,
  { now, compute }: { now: number; compute: () => Promise<TimedText> },
): Promise<string> {
  const state = rows.committedState?.()
  if (state === undefined) return (await compute()).text
  const { texts } = keptAt(rows, state)
  const known = texts.get(key)
  if (known !== undefined && known.madeAt <= now && now < known.until) return known.text
  const made = await compute()
  if (made.until > made.madeAt) texts.set(key, made)
  return made.text
}

function keptAt(rows: Rows, state: number): Kept {
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
