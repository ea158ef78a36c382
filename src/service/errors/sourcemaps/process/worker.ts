import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { ServiceError } from '../../../../errors.ts'
import type { Processed, UploadJob } from './processed.ts'

/** Enough for the largest file that an upload may hold; a hostile one ends its own thread. */
const HEAP_MB = 1024
const DEADLINE_MS = 5 * 60 * 1000
const MOST_WAITING = 20
/** For a thread to end after its answer. */
const LAST_MS = 1000

/** Numbers that tests make small. */
export interface SourceMapWorkerLimits {
  heapMb?: number | undefined
  deadlineMs?: number | undefined
}

export interface SourceMapWorkerOptions extends SourceMapWorkerLimits {
  /** The module of the thread, `worker-entry.ts` in a form that Node runs without a loader. */
  entry: () => Promise<URL>
}

/** Reads uploads in a thread of their own, one after the other, so that a large one costs nobody else. */
export interface SourceMapWorker {
  /**
   * Resolves with what `processUpload` found, or with an error where it took too much memory or time. Rejects with
   * `unavailable` when too many others wait, or the service is stopping.
   */
  process(job: UploadJob): Promise<Processed>
  /** Ends what is under way. */
  close(): Promise<void>
}

export function createSourceMapWorker({
  entry,
  heapMb = HEAP_MB,
  deadlineMs = DEADLINE_MS,
}: SourceMapWorkerOptions): SourceMapWorker {
  const closing = new AbortController()
  let queue: Promise<unknown> = Promise.resolve()
  let waiting = 0

  async function run(job: UploadJob): Promise<Processed> {
    waiting -= 1
    try {
      await rm(job.staging, { recursive: true, force: true })
      return await runThread(await entry(), job, { heapMb, deadlineMs, signal: closing.signal })
    } finally {
      await rm(job.staging, { recursive: true, force: true })
    }
  }

  return {
    process(job) {
      if (waiting >= MOST_WAITING) {
        const message = 'many uploads are being read; confirm this one again in a moment'
        return Promise.reject(new ServiceError('unavailable', message, { retryAfterSeconds: 10 }))
      }
      waiting += 1
      const result = queue.then(() => run(job))
      // The queue goes on whatever became of this one; its caller holds `result`.
      queue = result.then(ignore, ignore)
      return result
    },
    async close() {
      closing.abort()
      await queue
    },
  }
}

async function runThread(
  entry: URL,
  job: UploadJob,
  { heapMb, deadlineMs, signal }: { heapMb: number; deadlineMs: number; signal: AbortSignal },
): Promise<Processed> {
  if (signal.aborted) throw stopping()
  const answer = Promise.withResolvers<Processed>()
  const worker = new Worker(entry, {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
    // It needs neither the environment, which may hold secrets, nor our output, which may be a protocol.
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
  })
  const timer = setTimeout(() => answer.resolve(failed('TOO_SLOW', tooSlow(deadlineMs))), deadlineMs)
  const stop = () => answer.reject(stopping())
  signal.addEventListener('abort', stop)
  worker.once('message', (processed: Processed) => answer.resolve(processed))
  worker.once('error', (thrown) =>
    isOutOfMemory(thrown) ? answer.resolve(failed('OUT_OF_MEMORY', tooLarge(heapMb))) : answer.reject(thrown),
  )
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', (code) => {
      answer.reject(new Error(`the source map worker ended with ${code}`))
      resolve()
    })
  })
  try {
    const processed = await answer.promise
    // A thread that has answered ends by itself; to end it while it still compiles is asking for trouble.
    await Promise.race([exited, sleep(LAST_MS, undefined, { ref: false })])
    return processed
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    await worker.terminate()
  }
}

function isOutOfMemory(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_WORKER_OUT_OF_MEMORY'
}

function failed(code: string, message: string): Processed {
  return { files: [], artifacts: [], sources: [], error: { code, message } }
}

function tooLarge(heapMb: number): string {
  return `Reading it takes more than ${heapMb} MB of memory: split the bundle.`
}

function tooSlow(deadlineMs: number): string {
  return `Reading it takes more than ${deadlineMs / 1000} s: split the bundle.`
}

function stopping(): ServiceError {
  return new ServiceError('unavailable', 'the service is stopping; confirm again when it is back', {
    retryAfterSeconds: 5,
  })
}

function ignore(): void {}
