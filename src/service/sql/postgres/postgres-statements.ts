import { hash } from 'node:crypto'
import {
  HandleEmptyInListsPlugin,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  replaceWithNoncontingentExpression,
  type QueryResult,
} from 'kysely'
import type { ClientConfig, CustomTypesConfig } from 'pg'
import type { Bindable, Lists, Prepare, Rows, Statement } from '../database.ts'
import type { Schema } from '../schema.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { toBound, withNumbers, type Bound } from './postgres-parameters.ts'
import { changingEach, inOrder, insertingEach, readingEach } from './postgres-sets.ts'

const STATEMENTS_KEPT = 512

/** A statement as `pg` takes it. */
export interface Query extends Bound {
  /** Of a statement that each connection parses once. */
  name?: string
}

export interface Answer {
  rows: unknown[]
  /** Of rows changed or found. */
  rowCount: number | null
}

/** `IN ()`, which only SQLite takes, is false. */
const emptyLists = new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })

export type RunQuery = (query: Query) => Promise<Answer>

/** Kysely over one function that runs statements. Transactions are those of `Database`. */
export function queryBuilder(run: RunQuery): Rows {
  const connection: DatabaseConnection = {
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      const { rows, rowCount } = await run({
        text: sql.includes('?') ? withNumbers(sql) : sql,
        values: parameters.map(toBound),
      })
      return { rows: rows as R[], numAffectedRows: BigInt(rowCount ?? 0) }
    },
    streamQuery() {
      throw new Error('rows are not streamed')
    },
  }
  const dialect = {
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createDriver: () => ({
      init: done,
      acquireConnection: () => Promise.resolve(connection),
      beginTransaction: noTransaction,
      commitTransaction: noTransaction,
      rollbackTransaction: noTransaction,
      releaseConnection: done,
      destroy: done,
    }),
  }
  return Object.assign(new Kysely<Schema>({ dialect, plugins: [emptyLists] }), { dialect: postgresDialect })
}

function done(): Promise<void> {
  return Promise.resolve()
}

function noTransaction(): Promise<never> {
  return Promise.reject(new Error('use the transactions of Database'))
}

export interface PreparerOptions {
  run: RunQuery
  /** How statements are sent that nobody waits for; without it, they are awaited like any other. */
  sending?: { send: (query: Query) => void; sent: () => Promise<void> }
  /** By table: the column that numbers its rows. */
  numberedBy: ReadonlyMap<string, string>
  /** False where the next transaction may be on another connection of the server. */
  namesStatements: boolean
}

/** Prepares statements of the hot path: each connection parses one of them once. */
export function preparer(options: PreparerOptions): Prepare {
  const kept = new Map<string, Statement>()
  const prepare = (sql: string) => {
    const known = kept.get(sql)
    if (known !== undefined) return known
    const statement = createStatement(sql, options)
    const oldest = kept.size >= STATEMENTS_KEPT ? kept.keys().next().value : undefined
    if (oldest !== undefined) kept.delete(oldest)
    kept.set(sql, statement)
    return statement
  }
  return Object.assign(prepare, {
    dialect: postgresDialect,
    sent: () => options.sending?.sent() ?? Promise.resolve(),
  })
}

/** The server refuses a prepared statement whose result has another column since, as after a migration by a newer process. */
const ALL_COLUMNS = /\b(?:SELECT|RETURNING)\s+(?:\w+\.)?\*/i

function createStatement(sql: string, { run, sending, numberedBy, namesStatements }: PreparerOptions): Statement {
  const mayName = namesStatements && !ALL_COLUMNS.test(sql)
  const query = (text: string) => (mayName ? named(text) : { text })
  const asked = query(withNumbers(sql))
  let returning: typeof asked | undefined
  const returningNumber = () => {
    const table = /^\s*INSERT\s+INTO\s+"?(\w+)/i.exec(sql)?.[1] ?? ''
    const column = numberedBy.get(table)
    if (column === undefined) throw new Error(`no column numbers the rows of ${table}`)
    return ` RETURNING ${column} AS number`
  }
  const ask = (parameters: readonly Bindable[], statement = asked) =>
    run({ ...statement, values: parameters.map(toBound) })
  const bound = ({ text, values }: Bound): Query => ({ ...query(text), values })
  const send = async (sent: Query) => {
    if (sending === undefined) await run(sent)
    else sending.send(sent)
  }
  return {
    async send(...parameters) {
      await send({ ...asked, values: parameters.map(toBound) })
    },
    async run(...parameters) {
      const { rowCount } = await ask(parameters)
      return { changes: rowCount ?? 0 }
    },
    async insert(...parameters) {
      const { rows } = await ask(parameters, (returning ??= query(asked.text + returningNumber())))
      // The statement names it.
      return (rows[0] as { number: number }).number
    },
    // T is the shape of the caller's own SQL text.
    get: async <T>(...parameters: Bindable[]) => (await ask(parameters)).rows[0] as T | undefined,
    all: async <T>(...parameters: Bindable[]) => (await ask(parameters)).rows as T[],

    async sendEach(lists) {
      if (lists.length > 0) await send(bound(changingEach(sql, lists)))
    },
    async insertEach(lists) {
      const inserting = [...insertingEach(sql, lists)].map(({ text, values }) =>
        run(bound({ text: text + returningNumber(), values })),
      )
      const answers = await Promise.all(inserting)
      // The statement names it.
      return answers.flatMap(({ rows }) => (rows as { number: number }[]).map((row) => row.number))
    },
    async getEach<T>(lists: Lists) {
      if (lists.length === 0) return []
      const { rows } = await run(bound(readingEach(sql, lists)))
      return inOrder<T>(rows, lists)
    },
  }
}

/** A name that every process gives to the same text, since a pooler may hand one connection to several. */
function named(text: string): { name: string; text: string } {
  return { name: hash('sha256', text, 'base64url').slice(0, 32), text }
}

/** Types by their numbers in `pg_type`. */
const BOOLEAN = 16
const BYTES = 17
const NUMBERS = new Set([20, 21, 23, 700, 701, 1700])

/**
 * Values as SQLite gives them: numbers, also of counts and sums, which PostgreSQL makes `bigint` and `numeric`, flags 0 or
 * 1, and texts, JSON too. Numbers of the service are below 2^53.
 */
const valueTypes: CustomTypesConfig = {
  getTypeParser(type: number) {
    if (NUMBERS.has(type)) return Number
    if (type === BOOLEAN) return (text: string) => (text === 't' ? 1 : 0)
    if (type === BYTES) return (text: string) => Buffer.from(text.slice(2), 'hex')
    return (text: string) => text
  },
}

const CONNECT_TIMEOUT_MS = 10_000
/** When a connection without traffic is asked whether it still exists; the system waits two hours. */
const KEEP_ALIVE_MS = 30_000

/** How to connect to the database at an address. */
export function connectionConfig(url: string): ClientConfig {
  return {
    connectionString: url,
    application_name: 'tracegate',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    types: valueTypes,
  }
}
