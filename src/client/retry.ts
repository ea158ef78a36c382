import { setTimeout as delay } from 'node:timers/promises'
import { NOT_SENT, ServiceError } from '../errors.ts'
import type { Budget } from './budget.ts'

export type Sleep = (milliseconds: number, signal?: AbortSignal) => Promise<void>

export interface RepeatOptions {
  /** Maximum number of retries; 0 for a call that must not be repeated. */
  retries: number
  sleep: Sleep
  signal: AbortSignal | undefined
  budget?: Budget | undefined
  /** Method and path, for messages about the wait. */
  request?: string
}

/** A failure that a retry may fix: 429, 502 to 504, network errors. `attempt` throws it around the actual failure. */
export class Transient extends Error {
  readonly failure: ServiceError
  /** Whether the attempt ran into its own time limit. */
  readonly timedOut: boolean

  constructor(failure: ServiceError, { timedOut = false }: { timedOut?: boolean } = {}) {
    super(failure.message)
    this.failure = failure
    this.timedOut = timedOut
  }
}

/** Without a budget: a longer `Retry-After` is passed on. */
const LONGEST_WAIT_MS = 20_000
/** The part of the budget that a wait must leave for the repetition. */
const SHARE_OF_REPETITION = 0.1
const FIRST_WAIT_MS = 200
/** Without a `Retry-After`. */
const LONGEST_BACKOFF_MS = 5000

/**
 * Runs `attempt` until it succeeds, fails permanently or has been retried `retries` times; an attempt that ran into its own
 * time limit is retried once. Waits 200, 400, 800 ms and up to 5 s with jitter, or as long as `Retry-After` says if that is longer; a
 * wait that does not fit into the budget is passed on at once. Rejects with the failure inside the last `Transient`, or
 * with the signal's reason.
 */
export async function repeat<T>(attempt: () => Promise<T>, options: RepeatOptions): Promise<T> {
  const { retries, sleep, signal, budget, request = 'the request' } = options
  let timeouts = 0
  let failure: ServiceError | undefined
  for (let attemptNumber = 1; ; attemptNumber += 1) {
    try {
      return await attempt()
    } catch (error) {
      // What the attempt before came to is said of a repetition that was due too late.
      if (error instanceof ServiceError && error.reason === NOT_SENT) throw failure ?? error
      if (!(error instanceof Transient)) throw error
      failure = error.failure
      const wait = waitMs(error, attemptNumber)
      if (error.timedOut) timeouts += 1
      if (attemptNumber > retries || timeouts > 1 || !fits(wait, budget)) throw error.failure
      const { status, retryAfterSeconds } = error.failure
      budget?.waits?.pauses(request, { ms: wait, status, asked: retryAfterSeconds !== undefined })
      await sleep(wait, signal).catch((failed: unknown) => {
        throw signal?.aborted === true ? signal.reason : failed
      })
    }
  }
}

function fits(wait: number, budget: Budget | undefined): boolean {
  if (budget === undefined) return wait <= LONGEST_WAIT_MS
  return wait + budget.totalMs * SHARE_OF_REPETITION <= budget.leftMs
}

function waitMs({ failure }: Transient, attemptNumber: number): number {
  const backoff = Math.min(FIRST_WAIT_MS * 2 ** (attemptNumber - 1), LONGEST_BACKOFF_MS) * (0.5 + Math.random() / 2)
  return Math.max(backoff, (failure.retryAfterSeconds ?? 0) * 1000)
}

/** Resolves after the delay; rejects when the signal aborts. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, signal === undefined ? {} : { signal })
}
