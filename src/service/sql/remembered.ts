import type { Rows } from './database.ts'

/** Answers kept of one state of a database: the newest ones. */
const MOST_ANSWERS = 12

interface Kept {
  state: number
  answers: Map<string, Promise<unknown>>
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

function keptAt(rows: Rows, state: number): Kept {
  const known = kept.get(rows)
  if (known?.state === state) return known
  const fresh: Kept = { state, answers: new Map() }
  kept.set(rows, fresh)
  return fresh
}
