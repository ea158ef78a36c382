import { dayMs } from '../../../../src/service/shared/times.ts'

/** How much a directory of stored events holds. */
export interface StoredSize {
  issues: number
  occurrences: number
}

/** What is stored, in the order of arrival: for each occurrence its issue (by index), time, environment, release and user. */
export interface Plan {
  issue: Uint32Array
  /** Epoch milliseconds. */
  time: Float64Array
  /** Index of `environments`. */
  environment: Uint8Array
  /** Day of the release, from 0; -1 for an event that names none. */
  release: Int8Array
  /** -1 for an event without a user. */
  user: Int32Array
}

export const PRODUCTS = 4
export const DAYS = 30
export const environments = ['production', 'staging', 'development', 'qa'] as const
/** Areas of the code, each a component. */
export const areas = ['checkout', 'payment', 'cart', 'search', 'account', 'shipping', 'returns', 'reviews'] as const
const USERS = 20_000

/** The product of an issue: nine of ten are in the first one. */
export function productOf(issue: number): number {
  return issue % 10 === 9 ? 1 + (Math.floor(issue / 10) % (PRODUCTS - 1)) : 0
}

/**
 * Occurrences over 30 days before `now`. Every issue has at least one, the others follow a Zipf curve: the loudest of
 * 10,000 issues has a twentieth of them. Issues begin at different times, and some have ended. The same at every call.
 */
export function plan({ issues, occurrences }: StoredSize, now: number): Plan {
  if (occurrences < issues) throw new Error(`${String(occurrences)} occurrences cannot fill ${String(issues)} issues`)
  const random = createRandom(4711)
  const start = now - DAYS * dayMs
  // One number for time and issue, so that sorting is that of numbers.
  const keys = new Float64Array(occurrences)
  let at = 0
  for (const [issue, count] of sizes(issues, occurrences).entries()) {
    const from = issue % 3 === 0 ? 0 : random() * 0.97
    const until = issue % 4 === 1 ? from + (1 - from) * random() : 1
    for (let one = 0; one < count; one += 1) {
      const time = Math.floor((from + (until - from) * random()) * DAYS * dayMs)
      keys[at++] = time * issues + issue
    }
  }
  keys.sort()
  const planned: Plan = {
    issue: new Uint32Array(occurrences),
    time: new Float64Array(occurrences),
    environment: new Uint8Array(occurrences),
    release: new Int8Array(occurrences),
    user: new Int32Array(occurrences),
  }
  for (const [index, key] of keys.entries()) {
    const issue = key % issues
    const time = Math.floor(key / issues)
    planned.issue[index] = issue
    planned.time[index] = start + time
    planned.environment[index] = issue % 7 === 3 ? 1 : chooseEnvironment(random())
    planned.release[index] = random() < 0.03 ? -1 : Math.floor(time / dayMs)
    planned.user[index] = random() < 0.2 ? -1 : Math.floor(random() ** 2 * USERS)
  }
  return planned
}

function chooseEnvironment(chance: number): number {
  return chance < 0.75 ? 0 : chance < 0.9 ? 1 : chance < 0.97 ? 2 : 3
}

/** Occurrences of each issue: one, and its part of the others by 1 / (rank + 1.4). */
function sizes(issues: number, occurrences: number): number[] {
  const weights = Array.from({ length: issues }, (_, rank) => 1 / (rank + 2.4))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  const others = occurrences - issues
  let given = 0
  let wanted = 0
  return weights.map((weight) => {
    wanted += (weight / sum) * others
    const extra = Math.round(wanted) - given
    given += extra
    return 1 + extra
  })
}

/** Numbers from 0 to 1 that look random and are the same in every run (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
