import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { findEvent, parseEnvelope } from '../../../service/sample/envelope.ts'
import { placeholderKey, placeholderProduct } from '../../../service/sample/recording.ts'

/** A request of an SDK that contains an event. */
export interface Captured {
  path: string
  headers: Record<string, string>
  body: string
}

const keptHeaders = ['content-type', 'x-sentry-auth']

/** A stand-in for the error service: keeps the events that SDKs send. */
export class Capture implements AsyncDisposable {
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      const plain = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
      this.accept(request.url ?? '/', request.headers, plain.toString())
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  readonly #waiting: Captured[] = []

  async listen(): Promise<this> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening')
    return this
  }

  /** The DSN for the shop's server. */
  get dsn(): string {
    const { port } = this.#server.address() as AddressInfo
    return `http://${placeholderKey}@127.0.0.1:${port}/${placeholderProduct}`
  }

  /** Takes a request; ignores sessions, logs and client reports. */
  accept(path: string, headers: Record<string, string | string[] | undefined>, body: string): void {
    if (!findEvent(parseEnvelope(body))) return
    const kept = keptHeaders.filter((name) => name in headers).map((name) => [name, String(headers[name])])
    this.#waiting.push({ path, headers: Object.fromEntries(kept), body })
  }

  /** Waits until an event has arrived. */
  async arrival(what: string, timeoutMs = 15_000): Promise<void> {
    const end = Date.now() + timeoutMs
    while (this.#waiting.length === 0) {
      if (Date.now() > end) throw new Error(`${what}: no event within ${timeoutMs} ms`)
      await wait(5)
    }
  }

  /** Removes and returns the one event that a crash has just caused. */
  async take(what: string): Promise<Captured> {
    await this.arrival(what)
    const [event, ...others] = this.#waiting.splice(0)
    if (!event || others.length > 0) throw new Error(`${what}: ${others.length + 1} events instead of one`)
    return event
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
