import { setImmediate as nextTurn } from 'node:timers/promises'

/** A turn of the event loop that is this short had nothing to do. */
const QUIET_MS = 0.5
/** Turns in a row: a request that is being handled may be between two callbacks in one of them. */
const QUIET_TURNS = 3
const LONGEST_MS = 100

/**
 * Resolves when the event loop has nothing else to do, or after 100 ms. Between two pieces of long work: after a single
 * turn, a request of several steps would wait for a piece at each of them.
 */
export async function letOthersRun(): Promise<void> {
  const start = performance.now()
  let at = start
  for (let quiet = 0; quiet < QUIET_TURNS && at - start < LONGEST_MS;) {
    await nextTurn()
    const now = performance.now()
    quiet = now - at < QUIET_MS ? quiet + 1 : 0
    at = now
  }
}

/** How long one turn of the event loop may work, roughly. */
const LONG_TURN_MS = 50
let turnBegan: number | undefined

/**
 * Lets others run if this turn of the event loop has taken 50 ms, counted from the first call in it. For use between many
 * short steps whose total time is unknown.
 */
export async function letOthersRunIfDue(): Promise<void> {
  const now = performance.now()
  if (turnBegan === undefined) {
    turnBegan = now
    setImmediate(() => (turnBegan = undefined))
  } else if (now - turnBegan >= LONG_TURN_MS) await letOthersRun()
}

/** Items between two checks whether others are due. */
const ITEMS = 500

/** Does the work for each item; others run in between when they are due. */
export async function eachInTurns<T>(list: readonly T[], work: (item: T, index: number) => void): Promise<void> {
  for (const [index, item] of list.entries()) {
    work(item, index)
    if (index % ITEMS === ITEMS - 1) await letOthersRunIfDue()
  }
}

/** `list.map(view)`; others run in between when they are due. */
export async function mapInTurns<T, R>(list: readonly T[], view: (item: T) => R): Promise<R[]> {
  const viewed: R[] = []
  await eachInTurns(list, (item) => viewed.push(view(item)))
  return viewed
}

/** Turns in a row that are held at most, so that whatever holds them does not stop everything else. */
const LONGEST_HOLD = 100

/** Resolves when the caller may pass. */
export interface Turnstile {
  (): Promise<void>
  /** From here on, no more callers pass in this turn of the event loop. */
  hold(): void
}

/**
 * Lets `perTurn` callers pass in a turn of the event loop, in their order; the others wait for the next turns. So that
 * what many senders send at once is not all read in one piece.
 */
export function createTurnstile(perTurn: number): Turnstile {
  const waiting: (() => void)[] = []
  let passed = 0
  let isHeld = false
  let turnsHeld = 0
  function open(): void {
    turnsHeld = isHeld && turnsHeld < LONGEST_HOLD ? turnsHeld + 1 : 0
    isHeld = false
    passed = turnsHeld > 0 ? perTurn : Math.min(perTurn, waiting.length)
    if (turnsHeld === 0) for (const pass of waiting.splice(0, passed)) pass()
    if (passed > 0) setImmediate(open)
  }
  function take(count: number): void {
    if (passed === 0) setImmediate(open)
    passed += count
  }
  const next = () => {
    if (passed >= perTurn) return new Promise<void>((resolve) => waiting.push(resolve))
    take(1)
    return Promise.resolve()
  }
  return Object.assign(next, {
    hold() {
      take(perTurn)
      isHeld = true
    },
  })
}
