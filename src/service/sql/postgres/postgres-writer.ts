import { Client, type ClientConfig, type QueryConfig } from 'pg'
import type { Prepare, Rows } from '../database.ts'
import type { WriteConnection } from '../writing/write-queue.ts'
import { isAborted, isPassing, isReadOnly, translate, translating } from './postgres-failures.ts'
import { CommitFlush, type Flush } from './postgres-flush.ts'
import { WRITE_LOCK } from './postgres-locks.ts'
import { preparer, queryBuilder, type Answer, type Query, type RunQuery } from './postgres-statements.ts'

/** How long one statement of a write may take. */
const WRITE_TIMEOUT_MS = 60_000
/**
 * How long a write may send nothing. Its process may be suspended, or its machine cut off: the server would keep the lock for
 * it for hours, and no other process could write.
 */
const SILENCE_TIMEOUT_MS = 30_000
/** Transactions of a new connection after which statements are planned again. */
const FIRST_PLANS = 8

/** How long an answer may be overdue before its connection counts as lost: a network may forget one without telling either end. */
export const UNANSWERED_MS = 5_000

interface WriterOptions {
  config: ClientConfig
  lockTimeoutMs: number
  silenceTimeoutMs?: number | undefined
  unansweredMs: number
  numberedBy: ReadonlyMap<string, string>
  /** Whether no pooler is in between: one of transactions keeps no prepared statements from one of them to the next. */
  isDirect: boolean
  /** Around each statement. */
  timed: (run: RunQuery) => RunQuery
}

/** One connection, opened by its first transaction, and again after it was lost. */
export class PostgresWriter implements WriteConnection {
  readonly rows: Rows
  readonly prepare: Prepare
  readonly translate = translate
  readonly #config: ClientConfig
  readonly #begin: QueryConfig & { query_timeout: number }
  readonly #apart: CommitFlush | undefined
  #client: Client | undefined
  /** Transactions on this connection. */
  #begun = 0
  #plansUntil = FIRST_PLANS
  /** Of the transaction, and after its end of the one before. */
  #flush: Flush = done
  /** Settles when the statements that were sent are answered. */
  #unanswered: Promise<void> = Promise.resolve()
  /** Of the first one of them that failed. */
  #failure: unknown
  /** The first failure of the transaction, for which the server refuses its other statements. */
  #abortedBy: unknown

  constructor({
    config,
    lockTimeoutMs,
    silenceTimeoutMs = SILENCE_TIMEOUT_MS,
    unansweredMs,
    numberedBy,
    isDirect,
    timed,
  }: WriterOptions) {
    this.#config = { ...config, query_timeout: WRITE_TIMEOUT_MS + unansweredMs }
    // A pooler keeps its connections to us while the server crashes and returns, so that a later flush would prove nothing.
    this.#apart = isDirect ? new CommitFlush(this.#config) : undefined
    const run = timed((query) => this.#run(query))
    this.rows = queryBuilder(run)
    const send = (query: Query) => this.#send(run(query))
    this.prepare = preparer({ run, sending: { send, sent: () => this.#sent() }, numberedBy, namesStatements: isDirect })
    // One message: each statement would be a round trip. Each later statement sees what was committed before it, so also
    // what the last holder of the lock has written.
    const begin = [
      'BEGIN ISOLATION LEVEL READ COMMITTED',
      `SET LOCAL lock_timeout = ${String(lockTimeoutMs)}`,
      `SET LOCAL statement_timeout = ${String(WRITE_TIMEOUT_MS)}`,
      `SET LOCAL idle_in_transaction_session_timeout = ${String(silenceTimeoutMs)}`,
      ...(isDirect ? ['SET LOCAL synchronous_commit = off'] : []),
      `SELECT pg_advisory_xact_lock(${String(WRITE_LOCK)})`,
    ]
    this.#begin = { text: begin.join('; '), query_timeout: lockTimeoutMs + unansweredMs }
  }

  async begin(): Promise<void> {
    const known = this.#client
    try {
      await this.#tryBegin()
    } catch (error) {
      await this.rollback()
      // The server has closed a connection that was idle: that is found out here, before anything was written.
      if (known === undefined || this.#client === known || !isPassing(error)) throw translate(error)
      await translating(() => this.#tryBegin())
    }
  }

  /** The next statement does not wait for it; what failed is told once. */
  #send(answer: Promise<unknown>): void {
    // Handled from the start: its answer may come while earlier ones are still awaited.
    const answered = answer.then(ignore, (error: unknown) => void (this.#failure ??= error))
    this.#unanswered = this.#unanswered.then(() => answered)
  }

  async #sent(): Promise<void> {
    await this.#unanswered
    const failure = this.#failure
    this.#failure = undefined
    if (failure !== undefined) throw failure
  }

  async #tryBegin(): Promise<void> {
    this.#failure = undefined
    this.#abortedBy = undefined
    const client = (this.#client ??= await this.#connect())
    this.#flush = (await this.#apart?.ready()) ?? done
    await this.#planAgain(client)
    await client.query(this.#begin)
  }

  /**
   * The server keeps the plan of a statement until it has counted the rows again, and one that it made for empty tables may
   * read all rows of a product: plans are made again whenever the number of transactions has doubled.
   */
  async #planAgain(client: Client): Promise<void> {
    this.#begun += 1
    if (this.#begun < this.#plansUntil) return
    this.#plansUntil *= 2
    await client.query('DISCARD PLANS')
  }

  async #connect(): Promise<Client> {
    this.#begun = 0
    this.#plansUntil = FIRST_PLANS
    // Statements that do not wait for each other's answers travel together.
    const client = new Client({ ...this.#config, pipeline: true })
    client.on('error', () => this.#lost(client))
    client.on('end', () => this.#lost(client))
    await client.connect()
    return client
  }

  #lost(client: Client): void {
    if (this.#client !== client) return
    this.#client = undefined
    // The server may have closed both, and the end of the other is not known yet.
    void this.#apart?.end()
  }

  async #run(query: Query): Promise<Answer> {
    if (this.#client === undefined) throw translate(new ConnectionLost())
    try {
      return await this.#client.query(query)
    } catch (error) {
      // Kept here, not where a sent statement is answered: both answers may arrive in one turn of the event loop.
      if (!isAborted(error)) this.#abortedBy ??= error
      throw this.#abortedBy ?? error
    }
  }

  async commit(): Promise<void> {
    await this.#sent()
    if (this.#client === undefined) throw translate(new ConnectionLost())
    const { command } = await this.#client.query('COMMIT')
    // A transaction in which a statement has failed is rolled back by COMMIT, without an error.
    if (command !== 'COMMIT') throw new Error('a statement of the transaction has failed, and nothing was written')
  }

  async rollback(): Promise<void> {
    const client = this.#client
    if (client === undefined) return
    try {
      await client.query('ROLLBACK')
      // A session keeps the setting that it began with, also when the database may be written again.
      if (!isReadOnly(this.#abortedBy)) return
    } catch {
      // The server rolls back what belongs to a connection that is gone.
    }
    this.#lost(client)
    await client.end().catch(ignore)
  }

  /** Called before the next transaction begins. */
  flush(): Promise<void> {
    return this.#flush()
  }

  async close(): Promise<void> {
    const client = this.#client
    this.#client = undefined
    await client?.end().catch(ignore)
    await this.#apart?.end()
  }
}

/** In the form of a failure of the network, which `translate` knows. */
class ConnectionLost extends Error {
  readonly code = 'ECONNRESET'
  constructor() {
    super('the connection to the database was lost')
  }
}

function ignore(): void {}

function done(): Promise<void> {
  return Promise.resolve()
}
