import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { ServiceError } from '../../../errors.ts'
import type { PreparedEvent } from '../event/prepared-event.ts'
import type { Batch } from './batch.ts'
import { joinBytes, splitBytes } from '../../../lib/bytes.ts'
import { isObject, type JsonObject } from '../../../lib/objects.ts'
import { driverVariables } from '../../sql/open/index.ts'
import type { Answer, Job, JobRequest, RequestOutcome, ThreadStart, Told } from './thread-messages.ts'

/** Jobs that the thread has: one that it reads, and one that waits so that it never stops between two. */
const MOST_JOBS = 2
/** Requests of one job: its events share a commit, and its answer keeps the process busy for a few milliseconds. */
const REQUESTS_PER_JOB = 32
/** Bytes of one job, unless its first request has more. */
const BYTES_PER_JOB = 1024 * 1024
/** Time without events after which the thread ends and its memory returns. */
const IDLE_MS = 30_000
/** As for a main thread; twice what the events of two jobs need. */
const HEAP_MB = 128
/**
 * Half of the young generation, from the start: with the 1 MB to which the process is held (decision 034), values survive that
 * belong to one job, and marking the old generation takes a quarter of the time of an event (decision 087).
 */
const SEMI_SPACE_MB = 8

/** The events of a request as the thread read them, and why the other payloads are not events. */
export interface PreparedBatch {
  events: PreparedEvent[]
  refused: ServiceError[]
}

export interface EventThread {
  /** Whether it has work: further requests then go there as well. */
  isBusy(): boolean
  /** Rejects when the thread ends before it has answered, and when source maps of the product changed meanwhile. */
  read(productId: number, batch: Batch): Promise<PreparedBatch>
  /** Call after source maps of a product were added or removed. */
  changed(productId: number): void
  close(): Promise<void>
}

interface Waiting {
  batch: Batch
  productId: number
  /** Read with source maps that have changed since. */
  isStale: boolean
  resolve(read: PreparedBatch): void
  reject(error: unknown): void
}

export interface EventThreadOptions {
  /** The module of the thread. */
  entry: () => Promise<URL>
  /** The file or the address of the database. */
  database: string
  /** Folder of the tables of source maps. */
  tables: string
  /** Gets the ids of uploads whose source maps were applied. */
  onUsed: (ids: readonly string[]) => void
  /** Gets the error with which a thread ended or could not start, once until one has worked. */
  onError: (error: unknown) => void
  maxBytes: number
}

/**
 * Reads events, applies source maps to them, groups and packs them in a thread of its own, which starts with the first of
 * them. What waits is sent together: the more events arrive, the larger the jobs.
 */
export function createEventThread({
  entry,
  database,
  tables,
  maxBytes,
  onUsed,
  onError,
}: EventThreadOptions): EventThread {
  const waiting: Waiting[] = []
  /** The jobs that the thread has, by their number. */
  const jobs = new Map<number, Waiting[]>()
  let lastJob = 0
  let worker: Promise<Worker> | undefined
  let idle: NodeJS.Timeout | undefined
  let isClosed = false
  let isReported = false

  function start(): Promise<Worker> {
    const started = entry().then((file) => {
      // V8 has this setting for the process alone, and reads it when the heap of the thread is made.
      setFlagsFromString(`--min-semi-space-size=${String(SEMI_SPACE_MB)}`)
      const thread = new Worker(file, {
        workerData: { database, tables } satisfies ThreadStart,
        resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 3 * SEMI_SPACE_MB },
        // Without other secrets of the environment, and without our output, which may carry a protocol.
        env: driverVariables(database),
        execArgv: [],
        stdout: true,
        stderr: true,
      })
      thread.once('online', () => setFlagsFromString('--min-semi-space-size=0'))
      thread.on('message', answered)
      thread.once('error', (error) => failed(started, error))
      thread.once('exit', () => failed(started, new Error('the thread that reads events ended')))
      thread.unref()
      return thread
    })
    started.catch((error: unknown) => failed(started, error))
    return started
  }

  function send(): void {
    while (jobs.size < MOST_JOBS && waiting.length > 0) {
      clearTimeout(idle)
      const job = takeJob(waiting)
      const number = (lastJob += 1)
      jobs.set(number, job)
      worker ??= start()
      const message = { number, ...toJob(job, maxBytes) }
      worker
        .then((thread) => thread.postMessage(message, [message.bytes.buffer]))
        .catch((error: unknown) => unsent(number, error))
    }
  }

  /** Refuses a job whose message cannot be copied to the thread. A thread that cannot start has refused its jobs already. */
  function unsent(number: number, error: unknown): void {
    const job = jobs.get(number) ?? []
    jobs.delete(number)
    for (const one of job) one.reject(error)
    send()
    endWhenIdle()
  }

  function endWhenIdle(): void {
    clearTimeout(idle)
    if (jobs.size === 0) idle = setTimeout(() => void stop(), IDLE_MS).unref()
  }

  function answered({ number, outcomes, bytes, used }: Answer): void {
    const job = jobs.get(number)
    // Of a thread that was ended, whose jobs are read elsewhere.
    if (job === undefined) return
    jobs.delete(number)
    isReported = false
    send()
    onUsed(used)
    const read = JSON.parse(outcomes) as RequestOutcome[]
    const packed = read.flatMap(({ events }) => events.map((event) => event.packed))
    const parts = splitBytes(
      bytes,
      packed.flatMap(({ bodyBytes, dictionary, mappedBytes }) => [bodyBytes, dictionary.bytes, mappedBytes]),
    )
    for (const [index, one] of job.entries()) {
      const batch = toBatch(read[index]!, parts)
      if (one.isStale) one.reject(new Error('source maps of the product have changed'))
      else one.resolve(batch)
    }
    endWhenIdle()
  }

  function failed(which: Promise<Worker>, error: unknown): void {
    // One that was stopped, or whose error came before its end.
    if (worker !== which) return
    ended(which, error)
    if (!isReported) onError(error)
    isReported = true
  }

  function ended(which: Promise<Worker>, error: unknown): void {
    if (worker !== which) return
    worker = undefined
    const left = [...[...jobs.values()].flat(), ...waiting.splice(0)]
    jobs.clear()
    for (const one of left) one.reject(error)
  }

  async function stop(): Promise<void> {
    clearTimeout(idle)
    const ending = worker
    if (ending !== undefined) ended(ending, stopping())
    await ending?.then((thread) => thread.terminate()).catch(() => undefined)
  }

  return {
    isBusy: () => jobs.size > 0,
    read: (productId, batch) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(stopping())
        waiting.push({ productId, batch, isStale: false, resolve, reject })
        // In the next turn, so that what arrived in this one is one job.
        if (waiting.length === 1) setImmediate(send)
      }),
    changed(productId) {
      for (const one of [...jobs.values()].flat()) one.isStale ||= one.productId === productId
      const told: Told = { changed: productId }
      void worker?.then((thread) => thread.postMessage(told)).catch(() => undefined)
    },
    close() {
      isClosed = true
      return stop()
    },
  }
}

function stopping(): Error {
  return new Error('the service is stopping')
}

function takeJob(waiting: Waiting[]): Waiting[] {
  let bytes = 0
  let count = 0
  for (const { batch } of waiting) {
    bytes += batch.payloads.reduce((sum, { length }) => sum + length, 0)
    if (count > 0 && (bytes > BYTES_PER_JOB || count === REQUESTS_PER_JOB)) break
    count += 1
  }
  return waiting.splice(0, count)
}

function toJob(job: readonly Waiting[], maxBytes: number): Omit<Job, 'number'> & { bytes: Uint8Array<ArrayBuffer> } {
  const requests = job.map(({ productId, batch: { payloads, header, ...rest } }): JobRequest => {
    return { ...rest, productId, header: readMembers(header), lengths: payloads.map(({ length }) => length) }
  })
  return { maxBytes, requests, bytes: joinBytes(job.flatMap(({ batch }) => batch.payloads)) }
}

/** The members that events are read with. Others may be nested too deeply to be copied to the thread. */
function readMembers({ event_id, sent_at, sdk }: JsonObject): JsonObject {
  const facts = isObject(sdk) ? { name: withoutMembers(sdk.name), version: withoutMembers(sdk.version) } : undefined
  return { event_id: withoutMembers(event_id), sent_at: withoutMembers(sent_at), sdk: facts ?? withoutMembers(sdk) }
}

function withoutMembers(value: unknown): unknown {
  if (Array.isArray(value)) return []
  return isObject(value) ? {} : value
}

/** Takes what is packed of the request's events off the parts. */
function toBatch({ events, refused }: RequestOutcome, parts: Buffer[]): PreparedBatch {
  return {
    events: events.map(({ packed: { dictionary, mappedBytes }, ...event }) => {
      const [body, packed, stacks] = parts.splice(0, 3)
      const mapped = mappedBytes === 0 ? undefined : stacks
      return { ...event, mapped, packed: { body: body!, dictionary: { ...dictionary, packed: packed! } } }
    }),
    refused: refused.map(({ code, message, violations }) => new ServiceError(code, message, { violations })),
  }
}
