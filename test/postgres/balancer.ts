import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { resolve } from 'node:path'
import { eventually } from '../serve.ts'
import { folderWith } from './machine.ts'
import { runAs } from './programs.ts'

const config = resolve(import.meta.dirname, '../../deploy/haproxy.cfg')

export interface Balancer extends AsyncDisposable {
  origin: string
  /** The processes that have answered so far, by their names in the configuration, in the order of the answers. */
  answered(): string[]
}

/** HAProxy with the configuration that compose.yaml uses, but for the addresses: `hosts` are those of the two processes. */
export async function startBalancer(program: string, hosts: readonly [one: string, other: string]): Promise<Balancer> {
  const host = `127.0.0.1:${String(await freePort())}`
  const { folder, file } = folderWith('haproxy.cfg', () =>
    readFileSync(config, 'utf8')
      .replace('bind :8080', `bind ${host}`)
      .replace('tracegate-1:4319', hosts[0])
      .replace('tracegate-2:4319', hosts[1]),
  )
  const child = spawn(program, ['-db', '-f', file], { cwd: folder, ...runAs, stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (log += data.toString()))
  const origin = `http://${host}`
  await eventually('the balancer', async () => {
    if (child.exitCode !== null) throw new Error(log)
    return fetch(`${origin}/readyz`).then(
      ({ ok }) => ok || undefined,
      () => undefined,
    )
  })
  return {
    origin,
    answered: () => [...log.matchAll(/ tracegate\/(one|other) /g)].map(([, name = '']) => name),
    async [Symbol.asyncDispose]() {
      const ended = new Promise((done) => child.once('exit', done))
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** A port of this machine that nobody uses now. */
export function freePort(): Promise<number> {
  const server = createServer()
  return new Promise((done, fail) => {
    server.once('error', fail)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => done(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
