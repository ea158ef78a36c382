import { ServiceError } from '../errors.ts'
import { systemClock, type Clock } from '../lib/clock.ts'
import type { Waits } from './waits.ts'

export interface BudgetOptions {
  totalMs: number
  /** The caller's: its abort ends the budget early. */
  signal?: AbortSignal | undefined
  clock?: Clock | undefined
  waits?: Waits | undefined
}

/** How long after its end a budget waits for work that ignores the signal; the failure of a request says more. */
const GRACE_MS = 500

/** Made once, because its stack takes longer than many a call. */
const ENDED = new DOMException('the call has ended', 'AbortError')

function nothing(): void {}

/** What is left for reads and the answer after a wait within the call. */
const RESERVE_MS = 3_000

/**
 * The time of one tool call: what all its requests, their repetitions, the waits between them and its local work may take
 * together. It runs from `start` to `end`.
 */
export class Budget {
  readonly totalMs: number
  /** Hears what is waited for, where the caller asked for progress. */
  readonly waits: Waits | undefined
  readonly #clock: Clock
  /** Made when the signal is first asked for: many a call ends without that. */
  #ending: AbortController | undefined
  #ended: { reason: unknown } | undefined
  readonly #caller: AbortSignal | undefined
  #stopListening = nothing
  #startedAt: number | undefined
  #cancelTimer = nothing
  #giveUp = nothing
  #isOver = false

  constructor({ totalMs, signal, clock = systemClock, waits }: BudgetOptions) {
    this.totalMs = totalMs
    this.waits = waits
    this.#clock = clock
    this.#caller = signal
    if (signal?.aborted === true) this.#stop(signal.reason)
  }

  /** Aborts when the time is over, when the caller cancels, and at the end of the call. */
  get signal(): AbortSignal {
    if (this.#ending === undefined) {
      this.#ending = new AbortController()
      if (this.#ended === undefined) this.#listen()
      else this.#ending.abort(this.#ended.reason)
    }
    return this.#ending.signal
  }

  /** Only for work that can be aborted: a listener takes a tenth of a call without work (decision 074). */
  #listen(): void {
    const caller = this.#caller
    if (caller === undefined) return
    const cancel = () => this.#stop(caller.reason)
    if (caller.aborted) return cancel()
    caller.addEventListener('abort', cancel, { once: true })
    this.#stopListening = () => caller.removeEventListener('abort', cancel)
  }

  /** Whether the time ran out, in contrast to a call that was cancelled or has ended. */
  isOver(): boolean {
    return this.#isOver
  }

  /** Milliseconds; the whole budget before it runs. */
  get leftMs(): number {
    return this.#startedAt === undefined ? this.totalMs : this.#startedAt + this.totalMs - this.#clock.now()
  }

  /** Aborts after the time, but so early that the call can still read and answer, and with the budget. */
  part(ms: number): AbortSignal {
    const part = new AbortController()
    const end = () => part.abort(new DOMException('the wait is over', 'TimeoutError'))
    const cancel = this.#clock.after(Math.max(0, Math.min(ms, this.leftMs - RESERVE_MS)), end)
    const stop = () => {
      cancel()
      part.abort(this.signal.reason)
    }
    if (this.signal.aborted) stop()
    else this.signal.addEventListener('abort', stop, { once: true, signal: part.signal })
    return part.signal
  }

  /** `25 s`, for errors. */
  get words(): string {
    return `${String(this.totalMs / 1000)} s`
  }

  /** Lets the time run; a second call does nothing. */
  start(): void {
    if (this.#startedAt !== undefined || this.#ended !== undefined) return
    this.#startedAt = this.#clock.now()
    // After all that the call does without waiting: many a call has ended then, and to set a timer takes longer.
    process.nextTick(() => this.#setTimer())
  }

  #setTimer(): void {
    if (this.#ended !== undefined) return
    this.#cancelTimer = this.#clock.after(this.leftMs, () => {
      this.#isOver = this.#caller?.aborted !== true
      this.#stop(new ServiceError('unavailable', `this call did not end within its ${this.words}`))
    })
  }

  /** The outcome of the work, or the reason of the signal when the work does not end soon after it. */
  outcome<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#giveUp = () => reject(this.signal.reason as Error)
      work.then(resolve, reject)
    })
  }

  /** Ends what is still running, so that no request is repeated after the call. */
  end(): void {
    this.#cancelTimer()
    this.#stopListening()
    this.#abort(ENDED)
  }

  #stop(reason: unknown): void {
    this.#cancelTimer()
    this.#abort(reason)
    this.#cancelTimer = this.#clock.after(GRACE_MS, () => this.#giveUp())
  }

  /** The first reason stays: the caller's, if it has left before, whether or not anybody listened. */
  #abort(reason: unknown): void {
    this.#ended ??= { reason: this.#caller?.aborted === true ? this.#caller.reason : reason }
    this.#ending?.abort(reason)
  }
}

/**
 * A signal for the reads of a page or a command, which have no budget: it aborts after the time, with a failure that says
 * so, where `AbortSignal.timeout` would look like a bug.
 */
export function timeLimit(ms: number): AbortSignal {
  const limit = new AbortController()
  const message = `the service did not answer within ${String(ms / 1000)} s`
  setTimeout(() => limit.abort(new ServiceError('unavailable', message)), ms).unref()
  return limit.signal
}
