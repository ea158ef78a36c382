import { chmodSync, rmSync } from 'node:fs'
import { Client } from 'pg'
import { openPostgres } from '../../src/service/sql/postgres/postgres.ts'
import { makeMemoryFolder } from '../memory-folder.ts'
import { startPostgres } from './server.ts'
import { SERVER_VARIABLE, TEMPLATE } from './databases.ts'

/**
 * Starts one server for the run, with a migrated database that those of the tests are copies of. Its folder is one of its
 * own, since that of the run (`test/global-setup.ts`) is made later.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const folder = makeMemoryFolder()
  // The server enters it as another user.
  chmodSync(folder, 0o711)
  const server = await startPostgres({ within: folder })
  if (server === undefined) throw new Error('there is no PostgreSQL on this machine')
  process.env[SERVER_VARIABLE] = server.url('postgres')
  const client = new Client(server.url('postgres'))
  await client.connect()
  await client.query(`CREATE DATABASE ${TEMPLATE}`)
  await client.end()
  await (await openPostgres(server.url(TEMPLATE))).close()
  return async () => {
    await server.stop()
    rmSync(folder, { recursive: true })
  }
}
