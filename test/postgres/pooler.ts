import { spawn, type ChildProcess } from 'node:child_process'
import { folderWith, serverFolder } from './machine.ts'
import { runAs } from './programs.ts'

/** A pooler of transactions in front of a server. */
export interface Pooler {
  /** The address through the pooler of a database, from that of the server itself. */
  through(url: string): string
  start(): Promise<void>
  /** Ends it at once, and all connections through it. */
  kill(): Promise<void>
}

/** Connections to the server, few enough that processes share each of them. */
const CONNECTIONS = 4

/** PgBouncer on a socket of its own, in front of the run's server. It is not started yet. */
export function createPooler(program: string): Pooler {
  const { folder, file } = folderWith(
    'pgbouncer.ini',
    (own) => `[databases]
* = host=${serverFolder()} user=tracegate
[pgbouncer]
pool_mode = transaction
default_pool_size = ${String(CONNECTIONS)}
auth_type = any
listen_addr =
listen_port = 5432
unix_socket_dir = ${own}
server_login_retry = 0.1
`,
  )
  let child: ChildProcess | undefined
  return {
    through(url) {
      const address = new URL(url)
      address.searchParams.set('host', folder)
      return address.href
    },
    async start() {
      child = spawn(program, [file], { cwd: folder, ...runAs, stdio: ['ignore', 'ignore', 'pipe'] })
      await upAndRunning(child)
    },
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise((resolve) => child?.once('exit', resolve))
      child.kill('SIGKILL')
      await ended
    },
  }
}

function upAndRunning(child: ChildProcess): Promise<void> {
  let log = ''
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`pgbouncer ended with ${String(code)}: ${log}`)))
    child.stderr?.on('data', (data: Buffer) => {
      if (log.length < 10_000) log += data.toString()
      if (log.includes('process up')) resolve()
    })
  })
}
