import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a balancer passed on: to which of its servers, and the method of its message, or `answer`. */
export interface Passed {
  to: number
  what: string
}

export interface Balancer extends AsyncDisposable {
  base: string
  passed: Passed[]
}

/** Passes each request to the next of some servers in turn; one that cannot be reached is skipped. */
export async function startBalancer(bases: readonly string[]): Promise<Balancer> {
  const passed: Passed[] = []
  let next = 0
  const server = createServer((incoming, outgoing) => {
    void pass(incoming, outgoing)
  })

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = Buffer.concat(await Array.fromAsync(incoming as AsyncIterable<Buffer>))
    for (let tries = 0; tries < bases.length; tries += 1) {
      const to = next++ % bases.length
      const answer = await send(incoming, body, new URL(bases[to] ?? ''))
      if (answer === undefined) continue
      passed.push({ to, what: named(incoming, body) })
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      outgoing.flushHeaders()
      answer.on('error', () => outgoing.destroy()).pipe(outgoing)
      outgoing.on('close', () => answer.destroy())
      return
    }
    outgoing.writeHead(502).end()
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    // A server that listens on a port has such an address.
    base: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    passed,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The answer of a server; undefined when it cannot be reached. */
function send(
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  { hostname, port }: URL,
): Promise<IncomingMessage | undefined> {
  return new Promise((resolve) => {
    const onward = forward({ hostname, port, method, path: url, headers, agent: false }, resolve)
    onward.on('error', () => resolve(undefined))
    onward.end(body)
  })
}

function named({ method = '' }: IncomingMessage, body: Buffer): string {
  if (method !== 'POST') return method
  const message = JSON.parse(body.toString()) as { method?: string }
  return message.method ?? 'answer'
}
