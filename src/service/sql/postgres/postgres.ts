import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Pool, type ClientConfig } from 'pg'
import type { Database, OnSlow, Pause, Prepare, Rows } from '../database.ts'
import { WriteQueue, type WriteConnection } from '../writing/write-queue.ts'
import { explainOpening, isAborted, isPassing, translate, translating } from './postgres-failures.ts'
import { createMessages, type OpenMessages } from './postgres-messages.ts'
import { migratePostgres } from './postgres-migrate.ts'
import {
  connectionConfig,
  preparer,
  queryBuilder,
  type Answer,
  type Query,
  type RunQuery,
} from './postgres-statements.ts'

/** Connections that read, of each process. */
const READERS = 8
/** How long a write waits for those of other processes. */
const LOCK_TIMEOUT_MS = 10_000
/** How long one statement of a write may take. */
const WRITE_TIMEOUT_MS = 60_000
/** How long one statement that reads may take. */
const READ_TIMEOUT_MS = 30_000
/** From when on a statement is slow. */
const SLOW_MS = 1_000
/** How often to try again while the server starts or cannot be reached, when the service opens. */
const OPENING_ATTEMPTS = 5
/**
 * The key of the lock of writes, of this database: "trace" as a number. A transaction takes it, so that it is valid behind a
 * pooler of transactions too.
 */
export const WRITE_LOCK = 500_052_685_669

export interface PostgresOptions {
  /**
   * The address of the server itself, where `url` leads to a pooler of transactions: such a pooler keeps no prepared
   * statements and passes no notifications on.
   */
  listenUrl?: string | undefined
  /** Called for each statement that took a second or longer: with its text, which holds no values. */
  onSlow?: OnSlow | undefined
  /** Opens a database into which a copy is not complete. */
  forCopy?: boolean | undefined
  /** Connections that read; 8 by default. */
  readers?: number | undefined
  lockTimeoutMs?: number | undefined
}

/**
 * Opens a database of a PostgreSQL server, and brings it to the newest schema. One connection writes, under a lock that the
 * writes of all processes take in turn, so that each sees what the last one committed; others read. Throws
 * `failed_precondition` for an address, a password, a version or an encoding that cannot be used, without the password.
 */
export async function openPostgres(
  url: string,
  { listenUrl, onSlow, forCopy = false, readers = READERS, lockTimeoutMs = LOCK_TIMEOUT_MS }: PostgresOptions = {},
): Promise<Database> {
  const config = connectionConfig(url)
  const numberedBy = await attempts(url, async () => {
    const client = new Client(config)
    try {
      await client.connect()
      return await migratePostgres(client, { forCopy })
    } finally {
      await client.end().catch(ignore)
    }
  })
  const pool = new Pool({ ...config, max: readers, query_timeout: READ_TIMEOUT_MS })
  // A connection that the server closes while nobody uses it is replaced by the next statement.
  pool.on('error', ignore)
  const timed = (run: RunQuery) => reportSlow(run, onSlow)
  const namesStatements = listenUrl === undefined
  const writer = new PostgresWriter({ config, lockTimeoutMs, numberedBy, namesStatements, timed })
  const messages = createMessages({ config: connectionConfig(listenUrl ?? url), run: readWith(pool) })
  return new PostgresDatabase({ pool, read: queryBuilder(timed(readWith(pool))), writer, messages })
}

/** Opens a migrated database for another thread, which only reads; open until the thread ends. */
export function openPostgresReader(url: string): Rows {
  const pool = new Pool({ ...connectionConfig(url), max: 1, query_timeout: READ_TIMEOUT_MS })
  pool.on('error', ignore)
  return queryBuilder(readWith(pool))
}

/** A server that starts, or is replaced, is asked again after a second. */
async function attempts<T>(url: string, open: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await open()
    } catch (error) {
      if (attempt === OPENING_ATTEMPTS || !isPassing(error)) throw explainOpening(url, error)
      await sleep(1_000)
    }
  }
}

function reportSlow(run: RunQuery, onSlow: OnSlow | undefined): RunQuery {
  if (onSlow === undefined) return run
  return async (query) => {
    const begun = performance.now()
    const answer = await run(query)
    const ms = Math.round(performance.now() - begun)
    if (ms >= SLOW_MS) onSlow(query.text, ms)
    return answer
  }
}

function readWith(pool: Pool): RunQuery {
  return (query: Query) => translating(() => pool.query(query))
}

interface DatabaseParts {
  pool: Pool
  read: Rows
  writer: PostgresWriter
  messages: OpenMessages
}

class PostgresDatabase implements Database {
  readonly read: Rows
  readonly messages: OpenMessages
  readonly #pool: Pool
  readonly #writer: PostgresWriter
  readonly #queue: WriteQueue
  #closing: Promise<void> | undefined

  constructor({ pool, read, writer, messages }: DatabaseParts) {
    this.#pool = pool
    this.#writer = writer
    this.#queue = new WriteQueue(writer)
    this.read = read
    this.messages = messages
  }

  write<T>(work: (rows: Rows, prepare: Prepare) => Promise<T>): Promise<T> {
    return this.#queue.write(work)
  }

  batch<T>(work: (prepare: Prepare) => Promise<T>): Promise<T> {
    return this.#queue.batch(work)
  }

  writeInSlices<T>(work: (rows: Rows, prepare: Prepare, pause: Pause) => Promise<T>): Promise<T> {
    return this.#queue.writeInSlices(work)
  }

  /** Waits for the writes in progress, then closes all connections. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await this.#queue.close()
    await this.#writer.close()
    await this.messages.close()
    await this.#pool.end()
  }
}

interface WriterOptions {
  config: ClientConfig
  lockTimeoutMs: number
  numberedBy: ReadonlyMap<string, string>
  /** Whether the server keeps prepared statements between two transactions. */
  namesStatements: boolean
  /** Around each statement. */
  timed: (run: RunQuery) => RunQuery
}

/** One connection, opened by its first transaction, and again after it was lost. */
class PostgresWriter implements WriteConnection {
  readonly rows: Rows
  readonly prepare: Prepare
  readonly translate = translate
  readonly #config: ClientConfig
  readonly #begin: string
  #client: Client | undefined
  /** Settles when the statements that were sent are answered. */
  #unanswered: Promise<void> = Promise.resolve()
  /** Of the first one of them that failed. */
  #failure: unknown
  /** The first failure of the transaction, for which the server refuses its other statements. */
  #abortedBy: unknown

  constructor({ config, lockTimeoutMs, numberedBy, namesStatements, timed }: WriterOptions) {
    this.#config = config
    const run = timed((query) => this.#run(query))
    this.rows = queryBuilder(run)
    const send = (query: Query) => this.#send(run(query))
    this.prepare = preparer({ run, sending: { send, sent: () => this.#sent() }, numberedBy, namesStatements })
    // One message: each statement would be a round trip. Each later statement sees what was committed before it, so also
    // what the last holder of the lock has written.
    this.#begin = [
      'BEGIN ISOLATION LEVEL READ COMMITTED',
      `SET LOCAL lock_timeout = ${String(lockTimeoutMs)}`,
      `SET LOCAL statement_timeout = ${String(WRITE_TIMEOUT_MS)}`,
      `SELECT pg_advisory_xact_lock(${String(WRITE_LOCK)})`,
    ].join('; ')
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
    await client.query(this.#begin)
  }

  async #connect(): Promise<Client> {
    // Statements that do not wait for each other's answers travel together.
    const client = new Client({ ...this.#config, pipeline: true })
    client.on('error', () => this.#lost(client))
    client.on('end', () => this.#lost(client))
    await client.connect()
    return client
  }

  #lost(client: Client): void {
    if (this.#client === client) this.#client = undefined
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
    } catch {
      // The server rolls back what belongs to a connection that is gone.
      this.#lost(client)
      await client.end().catch(ignore)
    }
  }

  /** The server has flushed what it has said to be committed. */
  flush(): Promise<void> {
    return Promise.resolve()
  }

  async close(): Promise<void> {
    await this.#client?.end().catch(ignore)
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
