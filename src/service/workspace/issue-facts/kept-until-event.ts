import { LRUCache } from 'lru-cache'
import { lineage, type Rows } from '../../sql/database.ts'

/** What is kept of one database, in bytes as `size` estimates them. */
const MOST_BYTES = 4_000_000
/** Of a value with its name. */
const VALUE_BYTES = 500

export interface KeptUntilEvent<T> {
  /** What is read; with the issue the name under which it is kept. */
  name: string
  /** What else the value depends on: when it differs, it is read again. */
  basis: number | string
  /** Reads a value that nothing but an event of the issue changes. */
  read: () => Promise<T>
  /** Bytes that a value takes, roughly. */
  size: (value: T) => number
}

interface Kept {
  lineage: string
  lastSeq: number
  basis: number | string
  value: unknown
  bytes: number
}

const kept = new WeakMap<Rows, LRUCache<string, Kept>>()

/**
 * A value that is made of an issue's events, read again only after another event of it, whichever process recorded that
 * (decision 089). `issue` is its row, read by the same call. Callers share the value and must not change it. Rows that write
 * read it each time.
 */
export async function keptUntilEvent<T>(
  rows: Rows,
  issue: { id: string; last_seq: number },
  { name, basis, read, size }: KeptUntilEvent<T>,
): Promise<T> {
  const state = await rows.committedState?.()
  if (state === undefined) return read()
  const own = lineage(state)
  const all = keptIn(rows)
  const key = `${name} ${issue.id}`
  const known = all.get(key)
  // The name tells the type of the value.
  if (known?.lastSeq === issue.last_seq && known.basis === basis && known.lineage === own) return known.value as T
  // The mark is older than what is read now, so an event in between makes the next call read again.
  const value = await read()
  all.set(key, { lineage: own, lastSeq: issue.last_seq, basis, value, bytes: VALUE_BYTES + size(value) })
  return value
}

function keptIn(rows: Rows): LRUCache<string, Kept> {
  const known = kept.get(rows)
  if (known !== undefined) return known
  const fresh = new LRUCache<string, Kept>({ maxSize: MOST_BYTES, sizeCalculation: ({ bytes }) => bytes })
  kept.set(rows, fresh)
  return fresh
}
