import { AsyncLocalStorage } from 'node:async_hooks'

/** The position in a trace, as the headers of W3C Trace Context write it. */
export interface TraceContext {
  traceparent: string
  tracestate?: string
}

const current = new AsyncLocalStorage<TraceContext>()

/** The position that this code works at, if a caller named one or spans are recorded. */
export function currentTrace(): TraceContext | undefined {
  return current.getStore()
}

/** Does work at a position; at the same one without it. */
export function withTrace<T>(context: TraceContext | undefined, work: () => T): T {
  return context === undefined ? work() : current.run(context, work)
}

/** Begins work that goes on after the request that started it. */
export function withoutTrace<T>(work: () => T): T {
  return current.exit(work)
}

const parentForm = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/
const stateForm = /^[\x20-\x7e]{1,512}$/

/** A position that a caller named; undefined unless it has the form of version 00. */
export function readTrace(traceparent: unknown, tracestate: unknown): TraceContext | undefined {
  if (typeof traceparent !== 'string' || !parentForm.test(traceparent)) return undefined
  const isState = typeof tracestate === 'string' && stateForm.test(tracestate)
  return isState ? { traceparent, tracestate } : { traceparent }
}
