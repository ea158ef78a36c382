import { ServiceError } from '../../../errors.ts'
import { isObject, type JsonObject } from '../../../lib/objects.ts'

interface EnvelopeItem {
  type: string
  /** Cut after `keptBytes`; empty for a type that is not kept. */
  payload: Buffer
}

export interface Envelope {
  header: JsonObject
  items: EnvelopeItem[]
}

export interface EnvelopeLimits {
  headerBytes: number
  itemsPerEnvelope: number
  /** The payload bytes to keep of an item of this type; the rest is checked and forgotten. */
  keptBytes: (type: string) => number
}

const NEWLINE = 0x0a

/** What the next bytes are. */
type Part = 'envelope header' | 'blank' | 'item header' | 'line' | 'counted' | 'after counted'

/**
 * Reads the framing of an envelope (contract §12), not its payloads, from chunks as they are unpacked. `push` and `end`
 * throw `invalid_argument` for a header that is not a JSON object, an item without `type`, a payload that is shorter or
 * longer than its `length`, and beyond the limits.
 */
export class EnvelopeReader {
  /** Undefined until its line has ended. */
  header: JsonObject | undefined
  /** Bytes of all payloads that are kept. */
  keptBytes = 0
  readonly #items: EnvelopeItem[] = []
  readonly #limits: EnvelopeLimits
  #part: Part = 'envelope header'
  /** The bytes of the header line, or of the payload, that came in earlier chunks. */
  #collected: Buffer[] = []
  #collectedBytes = 0
  #type = ''
  #mostKept = Infinity
  /** Bytes of a payload with `length` that have not come. */
  #missing = 0

  constructor(limits: EnvelopeLimits) {
    this.#limits = limits
  }

  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) at = this.#read(chunk, at)
  }

  /** The envelope, after its last byte. */
  end(): Envelope {
    if (this.#part === 'envelope header') this.#endEnvelopeHeader()
    if (this.#part === 'item header') this.#endItemHeader()
    if (this.#part === 'counted') throw invalid(`item ${this.#number} is shorter than its length`)
    if (this.#part === 'line') this.#endItem('blank')
    return { header: this.header ?? {}, items: this.#items }
  }

  /** Reads the current part up to its end or that of the chunk; returns the position after it. */
  #read(chunk: Buffer, at: number): number {
    switch (this.#part) {
      case 'blank':
        return this.#readBlank(chunk, at)
      case 'envelope header':
        return this.#readLine(chunk, at, this.#limits.headerBytes, () => this.#endEnvelopeHeader())
      case 'item header':
        return this.#readLine(chunk, at, this.#limits.headerBytes, () => this.#endItemHeader())
      case 'line':
        return this.#readLine(chunk, at, Infinity, () => this.#endItem('blank'))
      case 'counted':
        return this.#readCounted(chunk, at)
      case 'after counted':
        if (chunk[at] !== NEWLINE) throw invalid(`item ${this.#items.length} is longer than its length`)
        this.#part = 'blank'
        return at + 1
    }
  }

  get #number(): number {
    return this.#items.length + 1
  }

  /** Skips line ends after a payload, blank lines between items and after the last one. */
  #readBlank(chunk: Buffer, start: number): number {
    for (let at = start; at < chunk.length; at += 1) {
      const byte = chunk[at]
      if (byte === NEWLINE || byte === 0x0d || byte === 0x20 || byte === 0x09) continue
      if (this.#items.length === this.#limits.itemsPerEnvelope)
        throw invalid(`the envelope has more than ${this.#limits.itemsPerEnvelope} items`)
      this.#part = 'item header'
      this.#mostKept = Infinity
      return at
    }
    return chunk.length
  }

  #readLine(chunk: Buffer, start: number, mostBytes: number, ended: () => void): number {
    const newline = chunk.indexOf(NEWLINE, start)
    const end = newline === -1 ? chunk.length : newline
    this.#collect(chunk.subarray(start, end))
    if (this.#collectedBytes > mostBytes) throw invalid(`the ${this.#headerName} is longer than ${mostBytes} bytes`)
    if (newline === -1) return end
    ended()
    return newline + 1
  }

  #readCounted(chunk: Buffer, start: number): number {
    const end = Math.min(chunk.length, start + this.#missing)
    this.#collect(chunk.subarray(start, end))
    this.#missing -= end - start
    if (this.#missing === 0) this.#endItem('after counted')
    return end
  }

  #collect(bytes: Buffer): void {
    if (this.#collectedBytes < this.#mostKept) {
      const kept = bytes.subarray(0, this.#mostKept - this.#collectedBytes)
      this.#collected.push(kept)
      if (this.#part === 'line' || this.#part === 'counted') this.keptBytes += kept.length
    }
    this.#collectedBytes += bytes.length
  }

  #take(): Buffer {
    const [only] = this.#collected
    const bytes = only !== undefined && this.#collected.length === 1 ? only : Buffer.concat(this.#collected)
    this.#collected = []
    this.#collectedBytes = 0
    return bytes
  }

  #endEnvelopeHeader(): void {
    this.header = parseHeader(this.#take(), this.#headerName)
    this.#part = 'blank'
  }

  #endItemHeader(): void {
    const { type, length } = parseHeader(this.#take(), this.#headerName)
    if (typeof type !== 'string' || type === '') throw invalid(`item ${this.#number} has no type`)
    this.#type = type
    this.#mostKept = this.#limits.keptBytes(type)
    if (length === undefined || length === null) {
      this.#part = 'line'
      return
    }
    if (typeof length !== 'number' || !Number.isSafeInteger(length) || length < 0)
      throw invalid(`the length of item ${this.#number} is not a number of bytes`)
    this.#missing = length
    this.#part = 'counted'
    if (length === 0) this.#endItem('after counted')
  }

  #endItem(next: Part): void {
    this.#items.push({ type: this.#type, payload: this.#take() })
    this.#part = next
  }

  get #headerName(): string {
    return this.#part === 'envelope header' ? 'envelope header' : `header of item ${this.#number}`
  }
}

/** JSON allows the carriage return that some clients leave at the end of the line. */
function parseHeader(line: Buffer, name: string): JsonObject {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'))
    if (isObject(value)) return value
  } catch {
    // Refused like any other line that is not an object.
  }
  throw invalid(`the ${name} is not a JSON object`)
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_argument', message)
}
