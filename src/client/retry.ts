import { setTimeout as delay } from 'node:timers/promises'
import pRetry from 'p-retry'
import type { ServiceError } from '../errors.ts'

export type Sleep = (milliseconds: number, signal?: AbortSignal) => Promise<void>

export interface RepeatOptions {
  /** Maximum number of retries; 0 for a call that must not be repeated. */
  retries: number
  sleep: Sleep
  signal: AbortSignal | undefined
}

/** A failure that a retry may fix: 429, 502 to 504, network errors. `attempt` throws it around the actual failure. */
export class Transient extends Error {
  readonly failure: ServiceError

  constructor(failure: ServiceError) {
    super(failure.message)
    this.failure = failure
  }
}

/** An agent is waiting for the result, so a longer `Retry-After` is passed on to it instead. */
const longestWaitMs = 20_000
const firstWaitMs = 200

/**
 * Runs `attempt` until it succeeds, fails permanently or has been retried `retries` times. Waits as long as `Retry-After`
 * says, or 200, 400, 800 ms with jitter. Rejects with the failure inside the last `Transient`, or with the signal's reason.
 */
export async function repeat<T>(attempt: () => Promise<T>, { retries, sleep, signal }: RepeatOptions): Promise<T> {
  try {
    return await pRetry(attempt, {
      retries,
      // onFailedAttempt waits, because it knows Retry-After.
      minTimeout: 0,
      maxTimeout: 0,
      ...(signal === undefined ? {} : { signal }),
      shouldRetry: ({ error }) => error instanceof Transient && waitMs(error, 1) <= longestWaitMs,
      onFailedAttempt: async ({ error, attemptNumber, retriesLeft }) => {
        if (retriesLeft === 0 || !(error instanceof Transient)) return
        const wait = waitMs(error, attemptNumber)
        if (wait <= longestWaitMs) await sleep(wait, signal)
      },
    })
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason
    throw error instanceof Transient ? error.failure : error
  }
}

function waitMs({ failure }: Transient, attemptNumber: number): number {
  if (failure.retryAfterSeconds !== undefined) return failure.retryAfterSeconds * 1000
  return firstWaitMs * 2 ** (attemptNumber - 1) * (0.5 + Math.random() / 2)
}

/** Resolves after the delay; rejects when the signal aborts. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, signal === undefined ? {} : { signal })
}
