import { spawn } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { randomInt } from 'node:crypto'
import { createInterface } from 'node:readline'
import { percentile } from '../harness/measure.ts'
import { shopEnvelope, type EventSize } from './shop-events.ts'

/** Requests that wait for their answer at the same time, each on its own connection. */
const IN_FLIGHT = 64

export interface EventLoad {
  /** `http://127.0.0.1:4319/api/1/envelope/?sentry_key=…`. */
  address: string
  size: EventSize
  count: number
  /** Each event is of a random one of them. */
  issues: readonly number[]
  /** Frames that each stack has before those of its issue. */
  frames?: readonly object[]
}

export interface LoadResult {
  /** Acknowledged events per second. */
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** Processor time of sending them all, in user and kernel mode. */
  processorMs: number
  /** Answers other than 200, by status. */
  refused: Record<string, number>
}

/** Sends the events from a process of its own, which makes them before the clock starts. */
export async function sendEvents(load: EventLoad): Promise<LoadResult> {
  const send = await prepareEvents(load)
  return send()
}

/** Resolves when the process has made the events and is connected, to what has it send them. */
export async function prepareEvents(load: EventLoad): Promise<() => Promise<LoadResult>> {
  const child = spawn(process.execPath, [import.meta.filename], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise((done) => child.once('close', done))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  /** Undefined when the process ends instead. */
  const nextLine = async () => (await lines.next()).value as string | undefined
  child.stdin.write(`${JSON.stringify(load)}\n`)
  const ready = await nextLine()
  return async () => {
    child.stdin.end()
    const result = await nextLine()
    const code = await ended
    if (code !== 0 || ready === undefined || result === undefined)
      throw new Error(`the load ended with ${String(code)}`)
    return JSON.parse(result) as LoadResult
  }
}

async function run(
  { address, size, count, issues, frames }: EventLoad,
  ready: () => Promise<unknown>,
): Promise<LoadResult> {
  const url = new URL(address)
  const envelope = () => shopEnvelope(size, issues[randomInt(issues.length)] ?? 0, frames)
  const requests = Array.from({ length: count }, () => request(url, envelope()))
  const sockets = await Promise.all(Array.from({ length: IN_FLIGHT }, () => open(url)))
  await ready()
  const times: number[] = []
  const refused: Record<string, number> = {}
  const start = performance.now()
  const used = process.cpuUsage()
  await Promise.all(
    sockets.map(async (socket) => {
      for (let next = requests.pop(); next !== undefined; next = requests.pop()) {
        const sent = performance.now()
        const status = await exchange(socket, next)
        times.push(performance.now() - sent)
        if (status !== '200') refused[status] = (refused[status] ?? 0) + 1
      }
    }),
  )
  const seconds = (performance.now() - start) / 1000
  const { user, system } = process.cpuUsage(used)
  for (const socket of sockets) socket.destroy()
  const acknowledged = count - Object.values(refused).reduce((sum, each) => sum + each, 0)
  return {
    perSecond: acknowledged / seconds,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    processorMs: (user + system) / 1000,
    refused,
  }
}

function request({ host, pathname, search }: URL, body: Buffer): Buffer {
  const head = `POST ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/x-sentry-envelope\r\nContent-Length: ${String(body.length)}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), body])
}

function open({ hostname, port }: URL): Promise<Socket> {
  return new Promise((done, fail) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true }, () => done(socket)).once(
      'error',
      fail,
    )
  })
}

/** The status of the answer, once all of it has come. */
function exchange(socket: Socket, bytes: Buffer): Promise<string> {
  return new Promise((done, fail) => {
    let seen = ''
    const close = () => fail(new Error('the server closed the connection'))
    const read = (chunk: Buffer) => {
      seen += chunk.toString('latin1')
      const head = seen.indexOf('\r\n\r\n')
      if (head === -1) return
      const length = /content-length: (\d+)/i.exec(seen)?.[1] ?? '0'
      if (seen.length < head + 4 + Number(length)) return
      socket.off('data', read)
      socket.off('close', close)
      done(seen.slice(9, 12))
    }
    socket.on('data', read)
    socket.once('close', close)
    socket.write(bytes)
  })
}

if (import.meta.main) {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
  const { value: load } = (await lines.next()) as { value: string }
  const result = await run(JSON.parse(load) as EventLoad, () => {
    console.log('ready')
    // The end of the input is the sign to begin.
    return lines.next()
  })
  console.log(JSON.stringify(result))
  process.exit()
}
