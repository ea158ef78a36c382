import type { Readable, Writable } from 'node:stream'
import type { AnswerOpening } from './answers.ts'
import type { Era } from './lists.ts'
import { readOpening, type RequestId } from './read.ts'

const NEWLINE = 10
/** A client that sends more before it calls anything is left to the server. */
const MAX_BYTES = 1024 * 1024

export interface Opening {
  stdin: Readable
  stdout: Writable
  answer: AnswerOpening
  /** Resolves when the connection ends. */
  ended: Promise<void>
}

/**
 * Answers what a client asks first, until it sends anything else. Then everything that was read is put back into stdin,
 * so that a server that reads it sees the whole conversation. Resolves to the ids of the requests that are answered and
 * that the server must not answer again; undefined if the connection ends before.
 */
export function answerOpening({ stdin, stdout, answer, ended }: Opening): Promise<Set<RequestId> | undefined> {
  return new Promise((resolve) => {
    const answered = new Set<RequestId>()
    let era: Era | undefined
    let received = Buffer.alloc(0)
    let done = 0

    let isOver = false

    function finish(result: Set<RequestId> | undefined): void {
      isOver = true
      stdin.off('data', take).pause()
      stdout.off('error', close)
      resolve(result)
    }
    function close(): void {
      if (!isOver) finish(undefined)
    }
    function handOver(): void {
      finish(answered)
      stdin.unshift(received)
    }
    function take(chunk: Buffer): void {
      received = Buffer.concat([received, chunk])
      for (let end = received.indexOf(NEWLINE, done); end !== -1; end = received.indexOf(NEWLINE, done)) {
        if (!takeLine(received.toString('utf8', done, end))) return handOver()
        done = end + 1
      }
      if (received.length > MAX_BYTES) handOver()
    }
    /** False for a line that is not answered here. */
    function takeLine(line: string): boolean {
      const request = readOpening(line, era)
      if (request === undefined || request === 'initialized') return request !== undefined
      const result = answered.has(request.id) ? undefined : answer(request)
      if (result === undefined) return false
      era = request.era
      answered.add(request.id)
      stdout.write(`${JSON.stringify({ result, jsonrpc: '2.0', id: request.id })}\n`)
      return true
    }

    stdin.on('data', take)
    stdout.once('error', close)
    void ended.then(close)
  })
}
