import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Build } from './build.ts'
import { visitorAddress, person, visitorUserAgent } from './people.ts'

export interface ServerOptions {
  build: Build
  environment: string
  dsn: string
  partners: string
}

/** The shop's server in its own process. */
export class ShopServer implements AsyncDisposable {
  readonly #process: ChildProcess
  readonly origin: string

  private constructor(process: ChildProcess, origin: string) {
    this.#process = process
    this.origin = origin
  }

  static async start({ build, environment, dsn, partners }: ServerOptions): Promise<ShopServer> {
    const child = spawn(process.execPath, [build.server], {
      cwd: build.workspace,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Passes nothing from the environment of the recording machine.
      env: {
        TZ: 'UTC',
        SENTRY_DSN: dsn,
        SHOP_ENVIRONMENT: environment,
        SHOP_SERVER: `shop-${environment}-1`,
        SHOP_PORT: '0',
        SHOP_PAYMENTS: `${partners}/payments`,
        SHOP_CARRIER: `${partners}/carrier`,
        SHOP_MAIL: `${partners}/mail`,
        SHOP_PRICES: `${partners}/prices`,
        SHOP_WAREHOUSES: `${partners}/warehouses`,
      },
    })
    // The log is not needed, but a full pipe would block the server.
    child.stderr.resume()
    return new ShopServer(child, await waitForOrigin(child))
  }

  get running(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null
  }

  /** Waits for a crashed process to end. */
  async ended(): Promise<void> {
    if (this.running) await once(this.#process, 'exit', { signal: AbortSignal.timeout(10_000) })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.running) return
    this.#process.kill('SIGKILL')
    await once(this.#process, 'exit')
  }
}

/** Reads where the server listens from the first line that it writes. */
async function waitForOrigin(child: ChildProcess & { stdout: NodeJS.ReadableStream }): Promise<string> {
  const signal = AbortSignal.timeout(20_000)
  try {
    const [line] = (await once(createInterface(child.stdout), 'line', { signal })) as [string]
    const { listening } = JSON.parse(line) as { listening: { port: number } }
    return `http://127.0.0.1:${listening.port}`
  } catch (cause) {
    child.kill('SIGKILL')
    throw new Error("the shop's server did not start", { cause })
  }
}

/** Someone who uses the shop's API. */
export class ServerVisitor {
  readonly #origin: string
  readonly #number: number
  readonly #session: string
  readonly #channel: string
  #entered = false

  constructor({ origin, number, channel = 'web' }: { origin: string; number: number; channel?: string }) {
    this.#origin = origin
    this.#number = number
    this.#channel = channel
    this.#session = `visit-${number}`
  }

  /** Opens a session as a known customer. */
  signIn(): Promise<void> {
    return this.#open({ id: this.#session, customer: person(this.#number) })
  }

  /** Opens a session as a guest. */
  enter(): Promise<void> {
    return this.#open({ id: this.#session })
  }

  get(path: string): Promise<void> {
    return this.#call(path, {})
  }

  post(path: string, body: object): Promise<void> {
    return this.#call(path, { method: 'POST', body: JSON.stringify(body) })
  }

  async #open(session: object): Promise<void> {
    await this.post('/api/session', session)
    this.#entered = true
  }

  async #call(path: string, init: RequestInit): Promise<void> {
    const headers = {
      'content-type': 'application/json',
      'user-agent': visitorUserAgent(this.#number),
      'x-forwarded-for': visitorAddress(this.#number),
      'x-shop-channel': this.#channel,
      ...(this.#entered && { cookie: `sid=${this.#session}` }),
    }
    const response = await fetch(this.#origin + path, { ...init, headers, signal: AbortSignal.timeout(10_000) })
    await response.arrayBuffer()
  }
}
