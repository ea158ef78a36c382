import { sql, type Expression, type SqlBool } from 'kysely'
import { LRUCache } from 'lru-cache'
import { lineage, type CommittedState, type Rows } from '../../sql/database.ts'
import { changedIssues, readIssueMarks, type Follows, type IssueMarks } from './marks.ts'

/** What is kept of one database, in bytes as `size` estimates them. */
const MOST_BYTES = 64_000_000
/** Of a member of a map, and of a map. */
const MEMBER_BYTES = 60
const MAP_BYTES = 1_000

export interface KeptQuery<T> {
  /** What is read; with the product the name under which it is kept. */
  name: string
  /** What else the values depend on: when it differs, all are read again. */
  basis?: string
  follows: Follows
  /** Reads the values of these issues or of all; an issue without a value is left out. */
  read: (issueIds: readonly string[] | undefined) => Promise<ReadonlyMap<string, T>>
  /** Bytes that a value takes, roughly. */
  size: (value: T) => number
}

/**
 * A value for each issue of a product, kept in memory: only those of issues that changed since the last call are read
 * again (decision 089). An answer is never older than the call, whichever process wrote. Callers share it and must not
 * change it. Rows that write read all.
 */
export async function keptByIssue<T>(
  rows: Rows,
  productId: number,
  query: KeptQuery<T>,
): Promise<ReadonlyMap<string, T>> {
  if (rows.committedState === undefined) return query.read(undefined)
  const all = keptIn(rows)
  const key = `${query.name} ${String(productId)}`
  // The name tells the type of the values.
  const before = all.get(key) as Kept<T> | undefined
  const now: Kept<T> = { answer: renew(rows, productId, query, before?.answer), bytes: before?.bytes ?? MAP_BYTES }
  all.set(key, now)
  try {
    const { values, bytes } = await now.answer
    // Another call may have renewed it since.
    if (all.peek(key) === now) all.set(key, { ...now, bytes })
    return values
  } catch (error) {
    if (all.peek(key) === now) all.delete(key)
    throw error
  }
}

/**
 * The condition on `issue` for a `read`. It uses the ids alone: with a condition on the product as well, SQLite would read all
 * issues of the product.
 */
export function issuesToRead(
  rows: Rows,
  productId: number,
  issueIds: readonly string[] | undefined,
): Expression<SqlBool> {
  return issueIds === undefined ? sql<boolean>`product_id = ${productId}` : rows.dialect.isOneOf('id', issueIds)
}

interface Kept<T> {
  answer: Promise<Answer<T>>
  bytes: number
}

const kept = new WeakMap<Rows, LRUCache<string, Kept<unknown>>>()

function keptIn(rows: Rows): LRUCache<string, Kept<unknown>> {
  const known = kept.get(rows)
  if (known !== undefined) return known
  const fresh = new LRUCache<string, Kept<unknown>>({ maxSize: MOST_BYTES, sizeCalculation: ({ bytes }) => bytes })
  kept.set(rows, fresh)
  return fresh
}

interface Answer<T> {
  /** Of the database, before the marks were read. */
  state: CommittedState
  basis: string
  marks: IssueMarks
  values: ReadonlyMap<string, T>
  bytes: number
}

async function renew<T>(
  rows: Rows,
  productId: number,
  query: KeptQuery<T>,
  before: Promise<Answer<T>> | undefined,
): Promise<Answer<T>> {
  const known = await before?.catch(() => undefined)
  const { basis = '' } = query
  const state = (await rows.committedState?.()) ?? 0
  const isSame = known?.basis === basis && lineage(known.state) === lineage(state)
  if (isSame && known.state === state) return known
  // Before the values: what changes meanwhile is read again by the next call.
  const marks = await readIssueMarks(rows, productId)
  if (!isSame) {
    const values = await query.read(undefined)
    const bytes = [...values.values()].reduce((sum, value) => sum + MEMBER_BYTES + query.size(value), MAP_BYTES)
    return { state, basis, marks, values, bytes }
  }
  const changed = await changedIssues(rows, productId, { since: known.marks, until: marks, follows: query.follows })
  if (changed.length === 0) return { ...known, state, marks }
  return { state, basis, marks, ...replaced(known, changed, await query.read(changed), query.size) }
}

function replaced<T>(
  { values, bytes }: Pick<Answer<T>, 'values' | 'bytes'>,
  changed: readonly string[],
  fresh: ReadonlyMap<string, T>,
  size: (value: T) => number,
): Pick<Answer<T>, 'values' | 'bytes'> {
  // A copy, because callers still read the map.
  const next = new Map(values)
  let total = bytes
  for (const id of changed) {
    const [old, value] = [next.get(id), fresh.get(id)]
    if (old !== undefined) total -= MEMBER_BYTES + size(old)
    if (value === undefined) next.delete(id)
    else {
      total += MEMBER_BYTES + size(value)
      next.set(id, value)
    }
  }
  return { values: next, bytes: total }
}
