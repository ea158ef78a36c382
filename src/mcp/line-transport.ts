import {
  parseJSONRPCMessage,
  ProtocolErrorCode,
  RELATED_TASK_META_KEY,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server'
import type { Readable, Writable } from 'node:stream'
import { isObject } from '../lib/objects.ts'

/** A longer line ends the connection; real calls are far shorter. */
const MAX_LINE_BYTES = 10 * 1024 * 1024
const NEWLINE = 10

/** A line or message that the protocol does not have: the mistake of whoever sent it. */
export class UnreadableMessage extends Error {}

/**
 * MCP over stdio: one message a line (MCP 2026-07-28, transports). It does what the SDK's transport does, without a schema
 * for the form of each request and without listeners for each answer, which take a tenth of a call (decision 133). A
 * request that is not valid is answered, and a batch is taken apart.
 */
export class LineTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #stdin: Readable
  readonly #stdout: Writable
  /** The beginning of a line whose end has not arrived. */
  #begun: Buffer[] = []
  #begunBytes = 0
  #isClosed = false
  /** Answers that wait for a slow reader. */
  #waiting: { resolve: () => void; reject: (error: Error) => void }[] = []

  constructor(stdin: Readable, stdout: Writable) {
    this.#stdin = stdin
    this.#stdout = stdout
  }

  start(): Promise<void> {
    // It may have ended before anybody listened.
    if (this.#stdin.readableEnded || this.#stdin.destroyed) setImmediate(this.#close)
    this.#stdin.on('data', this.#take).on('error', this.#fail).on('end', this.#close).on('close', this.#close)
    // Stays after the end: the reader may be gone only when the last answer is written.
    this.#stdout.on('error', this.#failToWrite).on('drain', this.#drained)
    return Promise.resolve()
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('the connection is closed'))
    if (this.#stdout.write(`${JSON.stringify(message)}\n`)) return Promise.resolve()
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  close(): Promise<void> {
    this.#close()
    return Promise.resolve()
  }

  readonly #take = (chunk: Buffer): void => {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1 && !this.#isClosed; end = chunk.indexOf(NEWLINE, start)) {
      const line = this.#wholeLine(chunk.subarray(start, end))
      start = end + 1
      if (line !== undefined) this.#deliver(line)
    }
    this.#keep(chunk.subarray(start))
  }

  #wholeLine(end: Buffer): string | undefined {
    if (this.#begun.length === 0) return end.toString()
    this.#keep(end)
    const line = Buffer.concat(this.#begun).toString()
    this.#begun = []
    this.#begunBytes = 0
    return line
  }

  #keep(part: Buffer): void {
    if (part.length === 0 || this.#isClosed) return
    this.#begunBytes += part.length
    this.#begun.push(part)
    if (this.#begunBytes <= MAX_LINE_BYTES) return
    this.#begun = []
    this.#fail(new UnreadableMessage(`a line of more than ${String(MAX_LINE_BYTES)} bytes`))
    this.#close()
  }

  #deliver(line: string): void {
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch {
      return
    }
    // The 2025-03-26 revision has batches, whose messages may be answered one by one.
    const isBatch = Array.isArray(value) && value.length > 0
    for (const message of isBatch ? (value as unknown[]) : [value]) this.#deliverMessage(message)
  }

  #deliverMessage(value: unknown): void {
    let message: JSONRPCMessage
    try {
      message = isPlainRequest(value) ? value : parseJSONRPCMessage(value)
    } catch (cause) {
      // The schema's own message is the list of all that it expected.
      this.#fail(new UnreadableMessage('a message that is not valid JSON-RPC', { cause }))
      return this.#refuse(value)
    }
    try {
      this.onmessage?.(message)
    } catch (error) {
      this.#fail(error as Error)
    }
  }

  /** Answers what its sender takes for a request: it would wait for an answer. */
  #refuse(value: unknown): void {
    if (!isObject(value) || !('method' in value)) return
    const { id } = value
    if (typeof id !== 'string' && typeof id !== 'number') return
    const error = { code: ProtocolErrorCode.InvalidRequest, message: 'the message is not a valid JSON-RPC request' }
    this.send({ jsonrpc: '2.0', id, error }).catch(() => undefined)
  }

  readonly #fail = (error: Error): void => {
    this.onerror?.(error)
  }

  readonly #failToWrite = (error: Error): void => {
    for (const { reject } of this.#waiting.splice(0)) reject(error)
    if (this.#isClosed) return
    this.#fail(error)
    this.#close()
  }

  readonly #drained = (): void => {
    for (const { resolve } of this.#waiting.splice(0)) resolve()
  }

  readonly #close = (): void => {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#stdin.off('data', this.#take).off('error', this.#fail).off('end', this.#close).off('close', this.#close)
    if (this.#stdin.listenerCount('data') === 0) this.#stdin.pause()
    this.#begun = []
    this.onclose?.()
  }
}

const members = new Set(['jsonrpc', 'id', 'method', 'params'])

/** A request without anything that only a schema can judge. */
function isPlainRequest(value: unknown): value is JSONRPCMessage {
  if (!isObject(value) || value['jsonrpc'] !== '2.0' || typeof value['method'] !== 'string') return false
  const { id, params } = value
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return false
  if (params !== undefined && !(isObject(params) && isPlainMeta(params['_meta']))) return false
  for (const name in value) if (!members.has(name)) return false
  return true
}

function isPlainMeta(meta: unknown): boolean {
  return (
    meta === undefined || (isObject(meta) && meta['progressToken'] === undefined && !(RELATED_TASK_META_KEY in meta))
  )
}
