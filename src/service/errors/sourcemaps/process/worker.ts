import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { ServiceError } from '../../../../errors.ts'
import type { Processed, UploadJob } from './processed.ts'

/** Enough for the largest file that an upload may contain; a hostile one only ends its own thread. */
const HEAP_MB = 1024
const DEADLINE_MS = 5 * 60 * 1000
const MOST_WAITING = 20
/** Time for a thread to end after its answer. */
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

/** Reads uploads sequentially, each in its own thread, so that a large one does not slow down anything else. */
export interface SourceMapWorker {
  /**
   * Resolves to the result of `processUpload`, or to an error if it took too much memory or time. Rejects with
   * `unavailable` when too many others wait, or when the service is stopping.
   */
  process(job: UploadJob): Promise<Processed>
  /** Aborts the running job. */
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
        const message = 'too many uploads are being read; confirm this one again in a moment'
        return Promise.reject(new ServiceError('unavailable', message, { retryAfterSeconds: 10 }))
      }
      waiting += 1
      const result = queue.then(() => run(job))
      // The queue continues whatever the outcome of this job; its caller holds `result`.
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
    // It needs neither the environment, which may contain secrets, nor our output, which may carry a protocol.
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
    // A thread that has answered ends by itself; terminating it while it still compiles can abort V8.
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
