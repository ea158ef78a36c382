import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { ServiceError } from '../../errors.ts'

/** Garbage that a thread gathers before it is collected. The default, made for a main thread, is 48 MB and more. */
const YOUNG_MB = 12
/** Time for a thread to end after its last message. */
const LAST_MS = 1000

export interface ThreadOptions<Message> {
  /** The module of the thread, in a form that Node runs without a loader. */
  entry: URL
  /** `workerData` of the thread. */
  job: unknown
  heapMb: number
  deadlineMs: number
  /** Ends the thread. */
  signal: AbortSignal
  onMessage: (message: Message) => void
  /** Whether the thread has nothing to say after this message; the others are answered with 'next'. */
  isLast?: (message: Message) => boolean
}

/**
 * Runs a job in a thread of its own, without the environment, which may contain secrets, and without our output, which
 * may carry a protocol. Resolves after its last message, or to why it was ended. Rejects with `unavailable` when it is
 * aborted, and with what the thread throws.
 */
export async function runThread<Message>(
  options: ThreadOptions<Message>,
): Promise<'answered' | 'out_of_memory' | 'too_slow'> {
  const { entry, job, heapMb, deadlineMs, signal, onMessage, isLast = () => true } = options
  if (signal.aborted) throw stopping()
  const outcome = Promise.withResolvers<'answered' | 'out_of_memory' | 'too_slow'>()
  const worker = new Worker(entry, {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: YOUNG_MB },
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
  })
  const timer = setTimeout(() => outcome.resolve('too_slow'), deadlineMs)
  const stop = () => outcome.reject(stopping())
  signal.addEventListener('abort', stop)
  worker.on('message', (message: Message) => {
    onMessage(message)
    if (isLast(message)) outcome.resolve('answered')
    // In the next turn, so that the process reads one message at a time and does other work in between.
    else setImmediate(() => worker.postMessage('next'))
  })
  worker.once('error', (thrown) => (isOutOfMemory(thrown) ? outcome.resolve('out_of_memory') : outcome.reject(thrown)))
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', (code) => {
      outcome.reject(new Error(`the thread ended with ${code}`))
      resolve()
    })
  })
  try {
    const reached = await outcome.promise
    // A thread that has answered ends by itself; terminating it while it still compiles can abort V8.
    if (reached === 'answered') await Promise.race([exited, sleep(LAST_MS, undefined, { ref: false })])
    return reached
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    await worker.terminate()
  }
}

function isOutOfMemory(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_WORKER_OUT_OF_MEMORY'
}

function stopping(): ServiceError {
  return new ServiceError('unavailable', 'the service is stopping; repeat when it is back', { retryAfterSeconds: 5 })
}
