import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A partner's service that stands in for the real one, on this machine and for one test. */
export interface StandIn {
  url: string
  /** How often it was asked. */
  asked(): number
}

/** Starts a stand-in; `answer` is told which request it is, from 1. */
export async function standIn(answer: (response: ServerResponse, request: number) => void): Promise<StandIn> {
  let requests = 0
  const server = createServer((_request, response) => answer(response, (requests += 1)))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => requests }
}

/** Answers with a JSON document. */
export function json(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
