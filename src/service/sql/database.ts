import type { Expression, Kysely, RawBuilder, SqlBool } from 'kysely'
import type { Schema } from './schema.ts'

/** The query builder, with the SQL that its database writes differently. */
export type Rows = Kysely<Schema> & {
  readonly dialect: Dialect
  /**
   * Of rows that only read: a name of the state that was committed when it was asked for. It differs after every commit of
   * any process, and on SQLite is the same until then. A database that cannot tell leaves it out.
   */
  readonly committedState?: () => CommittedState | Promise<CommittedState>
  /**
   * The same for these tables alone: also the same after commits that change others. On PostgreSQL the changes of a table
   * have to be counted (`changed_table`).
   */
  readonly tableState?: (tables: readonly (keyof Schema)[]) => CommittedState | Promise<CommittedState>
}

export type CommittedState = number | string

/**
 * The part of a state's name that is another one once the server may have lost commits that were visible. Numbers of changes
 * that were read before say nothing then: later commits use them again.
 */
export function lineage(state: CommittedState): string {
  return typeof state === 'number' ? '' : state.slice(state.indexOf(' ') + 1)
}

/**
 * A prepared statement of the hot path, cached by its text. Parameters are `?` in their order, or `?1` by their number;
 * each database rewrites them as its driver needs.
 */
export interface Statement {
  /**
   * Runs a statement whose answer nobody needs. It is done before every later statement of the transaction; where it is a
   * message to a server, it need not be done when the promise resolves, and its failure is that of `Prepare.sent` or of
   * the next statement.
   */
  send(...parameters: Bindable[]): Promise<void>
  /** Resolves to the number of rows that it changed. */
  run(...parameters: Bindable[]): Promise<{ changes: number }>
  /** Runs an `INSERT` into a table that numbers its rows, and resolves to the number of the new row. */
  insert(...parameters: Bindable[]): Promise<number>
  get<T>(...parameters: Bindable[]): Promise<T | undefined>
  all<T>(...parameters: Bindable[]): Promise<T[]>

  // The same for several lists of parameters, with the answers in their order. A server gets them in one message.
  /** Runs an `UPDATE … WHERE …`; no two lists may change the same row. */
  sendEach(lists: Lists): Promise<void>
  /** Runs an `INSERT … VALUES (…)`. */
  insertEach(lists: Lists): Promise<number[]>
  /** Resolves to the first row of each. */
  getEach<T>(lists: Lists): Promise<(T | undefined)[]>
}

/** Prepares a statement inside a transaction, or returns the one prepared earlier from the same text. */
export interface Prepare {
  (sql: string): Statement
  /** Resolves when all statements that were sent are done; rejects with the failure of one of them. */
  sent(this: void): Promise<void>
  readonly dialect: Dialect
}

/**
 * Called often by long work, and lets reads run in between. When a time slice is used up, it commits what was written, lets
 * other writes and the rest of the process run, and resolves in a new transaction. `beforeCommit` makes what is written
 * consistent by itself.
 */
export type Pause = (beforeCommit?: () => Promise<void>) => Promise<void>

export type Bindable = string | number | bigint | null | Uint8Array
/** Lists of parameters of one statement. */
export type Lists = readonly (readonly Bindable[])[]

/**
 * The port to the store. Reads never wait for writes; writes are one transaction each, one at a time, on disk when
 * their promise resolves. SQLite implements it; another database needs this interface, a `Dialect`
 * and its migrations, and no change outside this folder but to open it.
 */
export interface Database {
  /** For reading: sees the last committed state. */
  readonly read: Rows
  /**
   * Runs `work` in one transaction: committed when the promise resolves, rolled back when `work` throws. `prepare` is
   * for loops and belongs to the same transaction.
   */
  write<T>(work: (rows: Rows, prepare: Prepare) => Promise<T>): Promise<T>
  /**
   * The ingest path: `work` runs on prepared statements inside one transaction, with the same promise.
   * Measured: 3.6 times as many inserts as through the query builder (decision 017).
   */
  batch<T>(work: (prepare: Prepare) => Promise<T>): Promise<T>
  /**
   * Runs long work in several transactions, so that no other write waits for all of it. When it throws, only what was
   * written since the last pause is rolled back.
   */
  writeInSlices<T>(work: (rows: Rows, prepare: Prepare, pause: Pause) => Promise<T>): Promise<T>
  /** Where several processes share the database over a network; undefined where they look often enough by themselves. */
  readonly messages?: Messages
  /** The clock of the database's server, in epoch milliseconds; undefined where that is the one of this process. */
  serverTime?(): Promise<number>
  close(): Promise<void>
}

/** A database as it was opened. */
export interface OpenDatabase extends Database {
  /** What waits at this moment, for metrics. */
  load(): DatabaseLoad
  /** Why no write can succeed until the next start, in words without anything confidential; undefined if nothing is known. */
  problem?(this: void): string | undefined
}

export interface DatabaseLoad {
  /** Writes of this process that run or wait for their turn. */
  writes: number
  /** The connections that read, where there are several. */
  connections?: { open: number; idle: number; max: number; waiting: number }
}

/** Hears of a slow statement: its text without values, and how long it took. */
export type OnSlow = (statement: string, ms: number) => void

/** Short texts between the processes that share a database: they wake a process up for what it would find later by itself. */
export interface Messages {
  /** Sends a text to the other processes, after the commit that it is about. It may be lost. */
  send(this: void, text: string): void
  /** Calls `heard` for each text of another process, from now on. */
  listen(this: void, heard: (text: string) => void): void
}

/**
 * The SQL that databases write differently. All other SQL in the service is shared by SQLite and PostgreSQL: standard
 * SQL, `RETURNING`, and `ON CONFLICT` with its columns where it updates.
 */
export interface Dialect {
  /** Column that sorts a table with UUIDs as ids by insertion; every index ends with it. */
  readonly insertionOrder: string
  /**
   * Whether processes on several machines may use the database, so that it also holds the files that they share, in
   * `stored_file`.
   */
  readonly holdsFiles: boolean
  /** Whether a column is one of the texts; takes one parameter for all of them, because parameters are limited. */
  isOneOf(column: string, texts: readonly string[]): Expression<SqlBool>
  /** The same for a column of integers. */
  isOneNumber(column: string, numbers: readonly number[]): Expression<SqlBool>
  /** Whether a column that holds a JSON array of texts contains the text. */
  arrayContains(column: string, text: string): Expression<SqlBool>
  /** Rows of a subquery as one value: the text of a JSON array, with an array of these columns for each row, in no order. */
  jsonRows(columns: string, from: RawBuilder<unknown>): RawBuilder<string>
  /** Whether one of the columns contains the text, ignoring the case of ASCII letters. */
  anyContains(columns: readonly string[], text: string): Expression<SqlBool>
  /**
   * The query of what `activity` counts for each of the subjects from a bucket on; none for one without events. Their buckets
   * begin at `first`, in epoch milliseconds, and every `width`.
   */
  activitySince(
    subjectIds: readonly string[],
    buckets: { first: number; width: number },
  ): RawBuilder<{ subject_id: string; events: number }>
  readonly textIndex: TextIndex
}

/** The texts of one indexed row, by column of the index. */
export interface IndexedTexts {
  requirement: { key: string; title: string; statement: string; criteria: string; tags: string }
  test: { key: string; title: string; suite: string; file: string; tags: string }
}

/** Full-text indexes of requirements and tests, whose rows are identified by `seq`. */
export interface TextIndex {
  /** Indexes the texts of a row, in place of those it had. */
  put<N extends keyof IndexedTexts>(prepare: Prepare, index: N, seq: number, texts: IndexedTexts[N]): Promise<void>
  remove(prepare: Prepare, index: keyof IndexedTexts, seq: number): Promise<void>
  /**
   * The rows that match the words of a query, each as the beginning of a word, `all` of them or `any`; undefined for a
   * query without a word. Ranks are negative, the best one the lowest; the key and the title weigh most.
   */
  search(
    index: keyof IndexedTexts,
    query: string,
    words?: 'all' | 'any',
  ): RawBuilder<{ seq: number; rank: number }> | undefined
}
