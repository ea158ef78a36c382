import * as z from 'zod'
import { isObject } from '../../../../lib/objects.ts'
import { reportUnparsable } from '../model/errors.ts'

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

/** Lines that look like JSON and are not: more than output between the events, and each is slow to find out. */
const MOST_MALFORMED = 1000

/**
 * Yields the lines that are JSON objects, with their number from 1; `undefined` for any other that is not blank. Throws
 * `REPORT_UNPARSABLE` when more than 1,000 look like an object and are malformed.
 */
export function* jsonLines(text: string): Generator<{ value: unknown; number: number }> {
  let number = 0
  let malformed = 0
  for (let at = 0; at < text.length;) {
    const next = text.indexOf('\n', at)
    const end = next === -1 ? text.length : next
    const line = text.slice(at, end).trim()
    number += 1
    at = end + 1
    if (line === '') continue
    const value = line.startsWith('{') && line.endsWith('}') ? parsed(line) : undefined
    if (value === undefined && line.startsWith('{') && (malformed += 1) > MOST_MALFORMED)
      throw reportUnparsable('REPORT_FORMAT_GO_JSON', 'it has more than 1,000 malformed lines', number)
    yield { value, number }
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
