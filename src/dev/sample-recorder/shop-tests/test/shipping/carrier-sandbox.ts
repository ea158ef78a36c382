import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** The carrier's sandbox: like the real one it sleeps until someone asks, and is slow to wake up. */
export interface Sandbox {
  url: string
  stop(): void
}

const wakeUpMs = 450

export async function startSandbox(): Promise<Sandbox> {
  let awake: Promise<unknown> | undefined
  const server = createServer((_request, response) => {
    awake ??= wait(wakeUpMs)
    void awake.then(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{"amount":490}'))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
