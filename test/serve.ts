import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const source = resolve(import.meta.dirname, '../src/main.ts')

export interface Endpoints {
  mcp: string
  rest: string
  ingest: string
  dsn: string
  product_id: string
  token: string
}

export interface Served extends AsyncDisposable {
  endpoints: Endpoints
  dataDir: string
  pid: number
  /** What the process printed, both streams. */
  output(): string
  /** GET or POST on the REST surface with the owner's token. */
  rest<T>(method: string, path: string, body?: unknown): Promise<T>
  /** Ends the process at once, as a power cut would, and keeps the data. */
  kill(): Promise<void>
}

/** `exited` resolves to its exit code and the signal that ended it. */
export interface ServedProcess extends Served {
  exited: Promise<[number | null, NodeJS.Signals | null]>
}

export interface ServeOptions {
  dataDir?: string
  args?: string[]
  env?: Record<string, string>
  main?: string
}

/**
 * Starts the real `tracegate serve` as a child process on a free loopback port and a temporary data directory, and waits
 * for its `endpoints.json`; `main` may be a built bundle. Disposing stops it and, unless `dataDir` was given, removes the data.
 */
export async function serve(options: ServeOptions = {}): Promise<ServedProcess> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'tracegate-serve-'))
  rmSync(join(dataDir, 'endpoints.json'), { force: true })
  const { main = source, args = [] } = options
  const child = spawn(process.execPath, [main, 'serve', '--port', '0', '--data', dataDir, ...args], {
    env: { ...bareEnvironment(), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const served = await servedBy(dataDir, { ended: () => child.exitCode ?? undefined, output: () => output })
  return {
    ...served,
    pid: child.pid ?? 0,
    exited,
    kill: () => end(child, 'SIGKILL'),
    async [Symbol.asyncDispose]() {
      await end(child, 'SIGTERM')
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** How a server that runs can be observed. */
interface Running {
  /** Its exit code once it has ended. */
  ended(this: void): number | undefined
  output(this: void): string
}

/** Waits for the `endpoints.json` of a server on the data directory and opens its REST surface. */
export async function servedBy(
  dataDir: string,
  running: Running,
): Promise<Omit<Served, 'kill' | 'pid' | typeof Symbol.asyncDispose>> {
  const file = join(dataDir, 'endpoints.json')
  await listening(file, running)
  const endpoints = JSON.parse(readFileSync(file, 'utf8')) as Endpoints
  return {
    endpoints,
    dataDir,
    output: running.output,
    async rest<T>(method: string, path: string, body?: unknown) {
      const response = await fetch(endpoints.rest + path, {
        method,
        headers: { authorization: `Bearer ${endpoints.token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: ${String(response.status)} ${text}`)
      return JSON.parse(text) as T
    },
  }
}

/** Our own configuration of the machine must not leak into a test. */
export function bareEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TRACEGATE_')))
}

async function listening(file: string, { ended, output }: Running): Promise<void> {
  const deadline = Date.now() + 60_000
  while (Date.now() < deadline) {
    if (ended() !== undefined) throw new Error(`serve ended with ${String(ended())}:\n${output()}`)
    if (existsSync(file) && readFileSync(file, 'utf8').endsWith('}\n')) return
    await sleep(25)
  }
  throw new Error(`serve did not start:\n${output()}`)
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = new Promise((done) => child.once('exit', done))
  child.kill(signal)
  await exited
}

/** Polls until `probe` gives a value: for what another process does in its own time. */
export async function eventually<T>(what: string, probe: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + 20_000
  while (Date.now() < deadline) {
    const value = await probe()
    if (value !== undefined) return value
    await sleep(50)
  }
  throw new Error(`waited in vain for ${what}`)
}
