import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Answer = (response: ServerResponse) => void

const json =
  (body: unknown, status = 200): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

/** The possible answers of a partner service. */
export const answers = {
  paid: json({ id: 'ch_1', state: 'paid' }),
  accepted: json({}),
  unavailable: json({ error: 'unavailable' }, 503),
  mailboxFull: json({ error: 'mailbox full' }, 552),
  pieces: (pieces: number) => json({ pieces }),
  rate: json({ amount: 490 }),
  prices:
    (text: string): Answer =>
    (response) =>
      response.writeHead(200, { 'content-type': 'text/csv' }).end(text),
  maintenancePage: ((response) => {
    response.writeHead(503, { 'content-type': 'text/html' })
    response.end('<html><head><title>Maintenance</title></head><body>We will be back soon.</body></html>')
  }) satisfies Answer,
  hangUp: ((response) => response.destroy()) satisfies Answer,
  silence: (() => {}) satisfies Answer,
}

/** Answers of the partners that differ from normal operation, by path prefix; the longest prefix wins. */
export type Mood = Record<string, Answer>

const good: Mood = {
  payments: answers.paid,
  mail: answers.accepted,
  carrier: answers.rate,
  prices: answers.prices('sku,amount\ntea-001,1290\n'),
  'warehouses/hamburg': answers.pieces(40),
  'warehouses/basel': answers.pieces(20),
  'warehouses/graz': answers.pieces(12),
}

/** The partner services that the shop's server calls. */
export class Partners implements AsyncDisposable {
  mood: Mood = {}
  readonly #server = createServer((request, response) => {
    const path = request.url?.slice(1) ?? ''
    const today: Mood = { ...good, ...this.mood }
    const [answer] = Object.keys(today)
      .filter((start) => path.startsWith(start))
      .toSorted((left, right) => right.length - left.length)
      .map((start) => today[start])
    if (answer) answer(response)
    else response.writeHead(404).end()
  })

  async listen(): Promise<this> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening')
    return this
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
