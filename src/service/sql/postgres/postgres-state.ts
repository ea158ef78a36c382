import type { Client } from 'pg'
import { askedOnce } from '../one-state.ts'
import type { RunQuery } from './postgres-statements.ts'

/**
 * The snapshot names the transactions that are committed: it differs after every commit that wrote something. A server that
 * crashed may use the numbers of transactions again that it lost, and begins with a checkpoint; one that takes its place was
 * started at another time.
 */
const SERVER = `pg_postmaster_start_time()::text || ' ' || (SELECT checkpoint_lsn FROM pg_control_checkpoint())::text`
/** `lineage` takes what follows the snapshot, which has no spaces. */
const STATE = `SELECT pg_current_snapshot()::text || ' ' || ${SERVER} AS state`
/** Triggers count the transactions that changed a table: those of migration 0029. */
const TABLE_STATE = `SELECT coalesce(sum(changes), 0)::text || ' ' || ${SERVER} AS state FROM changed_table WHERE name = ANY($1)`

/** Whether the user of the connection may ask for the state: some providers of servers do not allow it. */
export async function tellsState(client: Client): Promise<boolean> {
  return client.query(STATE).then(
    () => true,
    () => false,
  )
}

/**
 * A function that resolves to a text for the committed state of the database, as of after its call, or after the beginning of
 * work that asks once. Calls of one turn of the event loop share a message to the server.
 */
export function createCommittedState(run: RunQuery): () => Promise<string> {
  let next: Promise<string> | undefined
  const ask = async () => {
    // Whoever calls until then asks the same.
    await Promise.resolve()
    next = undefined
    const { rows } = await run({ text: STATE, values: [] })
    return String((rows[0] as { state: unknown } | undefined)?.state)
  }
  return () => askedOnce('database', () => (next ??= ask()))
}

/** The same for the committed state of some tables alone. */
export function createTableState(run: RunQuery): (tables: readonly string[]) => Promise<string> {
  const ask = async (tables: readonly string[]) => {
    const { rows } = await run({ text: TABLE_STATE, values: [tables] })
    return (rows[0] as { state: string }).state
  }
  return (tables) => askedOnce(`tables ${tables.join(' ')}`, () => ask(tables))
}
