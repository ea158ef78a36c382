import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as fc from 'fast-check'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { Capabilities } from '../../src/client/capabilities/capabilities.ts'
import { createApi } from '../../src/client/client.ts'
import { networkSend } from '../../src/client/transport.ts'
import { createDoor } from '../../src/http/door.ts'
import { openSqlite } from '../../src/service/sql/sqlite/sqlite.ts'
import { startApp, type App } from '../app.ts'
import { brief, runElsewhere } from '../service/agents/run-elsewhere.ts'
import { servePublished } from '../cli/published.ts'

let app: App
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

async function listening(server: Server): Promise<number> {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  cleanups.push(() => new Promise((closed) => server.close(closed)))
  return (server.address() as AddressInfo).port
}

/** The service behind its real door on a loopback port. */
async function openDoor(): Promise<number> {
  const options = { service: app.service.handle, allowedHosts: ['127.0.0.1'], version: '0.0.0-test' }
  const door = createDoor({ ...options, log: () => undefined })
  const port = await listening(door)
  cleanups.push(() => door.closeAllConnections())
  return port
}

/** A proxy of a port that cuts each connection after a number of reply bytes; later connections are not cut. */
function openLine(to: number, cuts: readonly number[]): Promise<number> {
  const left = [...cuts]
  const line = createServer((near) => {
    const far = connect(to, '127.0.0.1')
    const end = () => {
      near.destroy()
      far.destroy()
    }
    let bytes = left.shift() ?? Infinity
    near
      .on('data', (chunk) => far.write(chunk))
      .on('close', end)
      .on('error', end)
    far.on('close', end).on('error', end)
    far.on('data', (chunk) => {
      if (chunk.length < bytes) near.write(chunk)
      else near.write(chunk.subarray(0, bytes), end)
      bytes -= chunk.length
    })
  })
  return listening(line)
}

/** Reads a run through the real client over the network. */
async function* read({ port, token, runId }: { port: number; token: string; runId: string }) {
  const send = networkSend()
  const baseUrl = `http://127.0.0.1:${String(port)}`
  // A busy machine takes long to start a server again.
  const patience = { retries: 500, sleep: () => sleep(50) }
  const api = createApi({ send, baseUrl, token, capabilities: new Capabilities(), ...patience })
  try {
    for await (const item of api.streamAgentRunEvents({ run_id: runId })) yield brief(item)
  } finally {
    await send.close()
  }
}

test('each event is seen once when a TCP connection breaks at any byte', async () => {
  const run = await runElsewhere(app)
  await run.log(30)
  await run.succeed()
  const door = await openDoor()
  const numbers = Array.from({ length: 30 }, (_, index) => String(index + 1))
  const property = fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 9000 }), { maxLength: 3 }), async (cuts) => {
    const reader = { port: await openLine(door, cuts), token: app.token, runId: run.id }
    expect(await Array.fromAsync(read(reader))).toEqual([...numbers, 'done 31'])
  })
  await fc.assert(property, { numRuns: 8 })
})

test('a reader goes on after the server was killed and another one has started', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tracegate-stream-'))
  cleanups.push(() => rmSync(dataDir, { recursive: true, force: true }))
  const first = await servePublished({ dataDir })
  const port = new URL(first.endpoints.rest).port
  const db = await openSqlite(join(dataDir, 'tracegate.db'))
  const { product_id: productId, token } = first.endpoints
  const run = await runElsewhere({ db, productId })
  await run.log(3)
  cleanups.push(() => db.close())
  const reader = read({ port: Number(port), token, runId: run.id })
  for (const number of ['1', '2', '3']) expect((await reader.next()).value).toBe(number)
  await first.kill()
  await run.log(2)
  await using _ = await servePublished({ dataDir, args: ['--port', port] })
  await run.succeed()
  expect(await Array.fromAsync(reader)).toEqual(['4', '5', 'done 6'])
})
