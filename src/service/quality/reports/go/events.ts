import * as z from 'zod'
import { isObject } from '../../../../lib/objects.ts'

/** A line of `go test -json`: a TestEvent of test2json or, since Go 1.24, a BuildEvent (`go help buildjson`). */
const Event = z.object({
  Time: z.string().optional(),
  Action: z.string(),
  Package: z.string().optional(),
  Test: z.string().optional(),
  /** Seconds. */
  Elapsed: z.number().optional(),
  Output: z.string().optional(),
  FailedBuild: z.string().optional(),
  ImportPath: z.string().optional(),
})
export type GoEvent = z.output<typeof Event>

/** Whether a value is a line of `go test -json`. */
export function isGoEvent(value: unknown): boolean {
  return isObject(value) && typeof value['Action'] === 'string' && ('Package' in value || 'ImportPath' in value)
}

/** Yields the lines that are JSON objects, with their number from 1; `undefined` for any other that is not blank. */
export function* jsonLines(text: string): Generator<{ value: unknown; number: number }> {
  let number = 0
  for (let at = 0; at < text.length;) {
    const next = text.indexOf('\n', at)
    const end = next === -1 ? text.length : next
    const line = text.slice(at, end).trim()
    number += 1
    at = end + 1
    if (line !== '') yield { value: line.startsWith('{') ? parsed(line) : undefined, number }
  }
}

function parsed(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line)
    return value
  } catch {
    return undefined
  }
}

/** The event of a line; undefined when it is none. */
export function readEvent(value: unknown): GoEvent | undefined {
  return isGoEvent(value) ? Event.safeParse(value).data : undefined
}
