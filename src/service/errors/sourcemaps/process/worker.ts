import { rm } from 'node:fs/promises'
import { ServiceError } from '../../../../errors.ts'
import { runThread } from '../../../shared/thread.ts'
import type { Processed, UploadJob } from './processed.ts'

/** Enough for the largest file that an upload may contain; a hostile one only ends its own thread. */
const HEAP_MB = 1024
const DEADLINE_MS = 5 * 60 * 1000
const MOST_WAITING = 20

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
      return await readUpload(await entry(), job, { heapMb, deadlineMs, signal: closing.signal })
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

async function readUpload(
  entry: URL,
  job: UploadJob,
  limits: { heapMb: number; deadlineMs: number; signal: AbortSignal },
): Promise<Processed> {
  const { heapMb, deadlineMs } = limits
  let processed: Processed | undefined
  const outcome = await runThread<Processed>({
    entry,
    job,
    ...limits,
    onMessage: (message) => (processed = message),
  })
  if (outcome === 'too_slow') return failed('TOO_SLOW', tooSlow(deadlineMs))
  if (outcome === 'out_of_memory' || processed === undefined) return failed('OUT_OF_MEMORY', tooLarge(heapMb))
  return processed
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

function ignore(): void {}
