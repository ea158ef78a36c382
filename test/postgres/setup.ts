import { chmodSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { Client } from 'pg'
import { openPostgres } from '../../src/service/sql/postgres/postgres.ts'
import { startPostgres } from './server.ts'
import { SERVER_VARIABLE, TEMPLATE } from './databases.ts'

/** Starts one server for the run, with a migrated database that those of the tests are copies of. */
export default async function setup(): Promise<() => Promise<void>> {
  // The folder of this run (`test/global-setup.ts`), which the server enters as another user.
  chmodSync(tmpdir(), 0o711)
  const server = await startPostgres()
  if (server === undefined) throw new Error('there is no PostgreSQL on this machine')
  process.env[SERVER_VARIABLE] = server.url('postgres')
  const client = new Client(server.url('postgres'))
  await client.connect()
  await client.query(`CREATE DATABASE ${TEMPLATE}`)
  await client.end()
  await (await openPostgres(server.url(TEMPLATE))).close()
  return () => server.stop()
}
