import type { Client } from 'pg'

/**
 * Whether a pooler is between a connection and the server: the session that it names when it opens is its own, not that of
 * the server. One of transactions hands each of them to another session, which knows no statement of an earlier one.
 */
export async function isPooled(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: unknown }>('SELECT pg_backend_pid() AS pid')
  // Its types leave it out.
  const { processID } = client as Client & { processID: number | null }
  return Number(rows[0]?.pid) !== processID
}
