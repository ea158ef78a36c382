import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { Client, Pool } from 'pg'
import type { DatabaseLoad, OpenDatabase, OnSlow, Pause, Prepare, Rows } from '../database.ts'
import { forgetStates } from '../one-state.ts'
import { WriteQueue } from '../writing/write-queue.ts'
import { explainOpening, isPassing, translating } from './postgres-failures.ts'
import { createMessages, type OpenMessages } from './postgres-messages.ts'
import { migratePostgres } from './postgres-migrate.ts'
import { isPooled } from './postgres-pooler.ts'
import { createCommittedState, createTableState, tellsState } from './postgres-state.ts'
import { connectionConfig, queryBuilder, type Query, type RunQuery } from './postgres-statements.ts'
import { PostgresWriter, UNANSWERED_MS } from './postgres-writer.ts'

/** Connections that read, of each process. */
const READERS = 8
/** How long a write waits for those of other processes. */
const LOCK_TIMEOUT_MS = 10_000
/** How long one statement that reads may take. */
const READ_TIMEOUT_MS = 30_000
/** From when on a statement is slow. */
const SLOW_MS = 1_000
/** How often to try again while the server starts or cannot be reached, when the service opens. */
const OPENING_ATTEMPTS = 5

export interface PostgresOptions {
  /**
   * The address of the server itself, where `url` leads to a pooler of transactions, which passes no notifications on.
   */
  listenUrl?: string | undefined
  /** Called for each statement that took a second or longer: with its text, which holds no values. */
  onSlow?: OnSlow | undefined
  /** Opens a database into which a copy is not complete. */
  forCopy?: boolean | undefined
  /** Connections that read; 8 by default. */
  readers?: number | undefined
  lockTimeoutMs?: number | undefined
  /** How long one statement that reads may take; 30 s by default. */
  readTimeoutMs?: number | undefined
  /** How long a write may send nothing; 30 s by default. */
  silenceTimeoutMs?: number | undefined
  /** How long an answer may be overdue before its connection counts as lost; 5 s by default. */
  unansweredMs?: number | undefined
}

/**
 * Opens a database of a PostgreSQL server, and brings it to the newest schema. One connection writes, under a lock that the
 * writes of all processes take in turn, so that each sees what the last one committed; others read. Throws
 * `failed_precondition` for an address, a password, a version or an encoding that cannot be used, without the password.
 */
export async function openPostgres(
  url: string,
  {
    listenUrl,
    onSlow,
    forCopy = false,
    readers = READERS,
    lockTimeoutMs = LOCK_TIMEOUT_MS,
    readTimeoutMs = READ_TIMEOUT_MS,
    silenceTimeoutMs,
    unansweredMs = UNANSWERED_MS,
  }: PostgresOptions = {},
): Promise<OpenDatabase> {
  const config = connectionConfig(url)
  const { numberedBy, pooled, hasState } = await attempts(url, async () => {
    const client = new Client(config)
    // The next statement fails too.
    client.on('error', ignore)
    try {
      await client.connect()
      const numberedBy = await migratePostgres(client, { forCopy })
      return { numberedBy, pooled: await isPooled(client), hasState: await tellsState(client) }
    } finally {
      await client.end().catch(ignore)
    }
  })
  const pool = new Pool({
    ...config,
    max: readers,
    // The server ends it: one that only we gave up would go on there, on a connection beyond those of the pool. A pooler refuses the
    // setting.
    ...(!pooled && { statement_timeout: readTimeoutMs }),
    query_timeout: readTimeoutMs + (pooled ? 0 : unansweredMs),
  })
  // A connection that the server closes while nobody uses it is replaced by the next statement.
  pool.on('error', ignore)
  const timed = (run: RunQuery) => reportSlow(run, onSlow)
  const isDirect = listenUrl === undefined && !pooled
  const writer = new PostgresWriter({
    config,
    lockTimeoutMs,
    silenceTimeoutMs,
    unansweredMs,
    numberedBy,
    isDirect,
    timed,
  })
  const messages = createMessages({ config: connectionConfig(listenUrl ?? url), run: readWith(pool) })
  const runRead = timed(readWith(pool))
  const states = hasState
    ? { committedState: createCommittedState(runRead), tableState: createTableState(runRead) }
    : {}
  const read = Object.assign(queryBuilder(runRead), states)
  return new PostgresDatabase({ pool, read, writer, messages })
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

class PostgresDatabase implements OpenDatabase {
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
    return this.#queue.write(work).finally(forgetStates)
  }

  batch<T>(work: (prepare: Prepare) => Promise<T>): Promise<T> {
    return this.#queue.batch(work).finally(forgetStates)
  }

  writeInSlices<T>(work: (rows: Rows, prepare: Prepare, pause: Pause) => Promise<T>): Promise<T> {
    return this.#queue.writeInSlices(work).finally(forgetStates)
  }

  async serverTime(): Promise<number> {
    const asked = sql<{ now: number }>`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`
    const { rows } = await asked.execute(this.read)
    return rows[0]?.now ?? Date.now()
  }

  load(): DatabaseLoad {
    const { totalCount, idleCount, waitingCount, options } = this.#pool
    const connections = { open: totalCount, idle: idleCount, max: options.max, waiting: waitingCount }
    return { writes: this.#queue.length, connections }
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

function ignore(): void {}
