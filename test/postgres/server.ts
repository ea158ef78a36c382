import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPrograms, runAs } from './programs.ts'

/** A server for tests. */
export interface PostgresServer {
  /** The address of a database of the server, which may not exist. */
  url(database: string): string
  stop(): Promise<void>
}

/** What makes a server fast that nobody relies on: a crash of the machine may lose all of it. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  shared_buffers: '64MB',
  max_connections: '200',
  autovacuum: 'off',
}

/**
 * Starts a server with an empty cluster in a temporary folder, on a socket in it: of the programs of this machine, else of
 * the npm package. Undefined where there are neither. Anyone must be able to enter the folder `within`.
 */
export async function startPostgres({
  settings = SETTINGS,
  within = tmpdir(),
}: { settings?: Record<string, string>; within?: string } = {}): Promise<PostgresServer | undefined> {
  const programs = findPrograms()
  if (programs === undefined) return undefined
  const folder = mkdtempSync(join(within, 'tracegate-postgres-'))
  const as = { cwd: folder, ...runAs }
  if (runAs !== undefined) chownSync(folder, runAs.uid, runAs.gid)
  const data = join(folder, 'data')
  const creating = ['-D', data, '-U', 'tracegate', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync']
  const created = spawnSync(join(programs, 'initdb'), creating, { ...as, encoding: 'utf8' })
  if (created.status !== 0) throw new Error(`initdb failed: ${created.stderr}${String(created.error ?? '')}`)
  const options = Object.entries({ ...settings, listen_addresses: '' }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const server = spawn(join(programs, 'postgres'), ['-D', data, '-k', folder, ...options], {
    ...as,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await ready(server)
  return {
    url: (database) => `postgres://tracegate@localhost/${database}?host=${encodeURIComponent(folder)}`,
    async stop() {
      const ended = new Promise((resolve) => server.once('exit', resolve))
      server.kill('SIGINT')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function ready(server: ChildProcess): Promise<void> {
  let log = ''
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.once('exit', (code) => reject(new Error(`postgres ended with ${String(code)}: ${log}`)))
    server.stderr?.on('data', (data: Buffer) => {
      if (log.length < 10_000) log += data.toString()
      if (log.includes('ready to accept connections')) resolve()
    })
  })
}
