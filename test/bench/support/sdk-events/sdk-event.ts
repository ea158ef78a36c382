import { random, type Random } from './random.ts'
import { createStacks } from './stacks.ts'
import { breadcrumb, job, surroundings } from './surroundings.ts'

/** Which event to make. The same facts give the same event. */
export interface Wanted {
  /** Number of the issue: it decides the stack and the type. */
  issue: number
  /** Number of the event: it decides ids, times, users and all other values. */
  event: number
  /** Bytes of its JSON, about. */
  bytes: number
  /** Epoch milliseconds. */
  at: number
}

const types = ['TypeError', 'RangeError', 'ValidationError', 'TimeoutError', 'HttpError', 'DatabaseError', 'Error']
/** One breadcrumb for so many bytes of an event. */
const BYTES_PER_BREADCRUMB = 700
/** Smaller events come from jobs, without a request and with few breadcrumbs. */
const LEAST_WITH_REQUEST = 5_000
/** SDKs keep so many. */
const MOST_BREADCRUMBS = 100
/** Beyond this a stack goes on in the exception that it was caused by. */
const FRAMES_PER_EXCEPTION = 40

/**
 * Makes events as the Node SDK sends them. Their stacks come from real source files with seven lines of context on both
 * sides of each line, so that they compress as those of a real program do; events of one issue share the stack and
 * differ in everything else.
 */
export function createSdkEvents(): (wanted: Wanted) => Record<string, unknown> {
  const stacks = createStacks()
  return ({ issue, event, bytes, at }) => {
    const ofIssue = random(issue + 1)
    const own = random(0x9e37_79b9 ^ event)
    const crumbs = Math.min(MOST_BREADCRUMBS, Math.round((bytes - 2_000) / BYTES_PER_BREADCRUMB))
    const rest = {
      ...(bytes < LEAST_WITH_REQUEST ? job(own, at) : surroundings(own, at)),
      breadcrumbs: Array.from({ length: crumbs }, (_, index) => breadcrumb(own, at / 1000 - (crumbs - index) * 0.7)),
    }
    const frames = stacks(ofIssue, bytes - JSON.stringify(rest).length)
    return { exception: { values: exceptions(frames, { issue, ofIssue, own }) }, ...rest }
  }
}

function exceptions(
  frames: readonly unknown[],
  { issue, ofIssue, own }: { issue: number; ofIssue: Random; own: Random },
) {
  const count = Math.max(1, Math.ceil(frames.length / FRAMES_PER_EXCEPTION))
  return Array.from({ length: count }, (_, index) => ({
    type: ofIssue.pick(types),
    value: `${ofIssue.pick(reasons)} (${ofIssue.pick(subjects)} ${String(own.below(1_000_000))})`,
    stacktrace: { frames: frames.slice(index * FRAMES_PER_EXCEPTION, (index + 1) * FRAMES_PER_EXCEPTION) },
    mechanism: { type: index === count - 1 ? 'auto.http.express' : 'chained', handled: issue % 3 === 0 },
  }))
}

const reasons = [
  "Cannot read properties of undefined (reading 'amount')",
  'connect ECONNREFUSED 10.0.4.17:5432',
  'the payment provider answered with status 502',
  'duplicate key value violates unique constraint "order_number_key"',
  'timeout of 8000ms exceeded',
  'Unexpected end of JSON input',
]
const subjects = ['order', 'customer', 'invoice', 'shipment', 'cart', 'voucher']
