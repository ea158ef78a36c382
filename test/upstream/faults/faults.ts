import { answerFaults } from './answer-faults.ts'
import { connectionFaults } from './connection-faults.ts'
import type { Fault } from './fault.ts'

/** The fault matrix: every way in which a deployment is made to break. */
export const faults: readonly Fault[] = [...connectionFaults, ...answerFaults]

/**
 * Faults that the client treats as their neighbours in the list, before any tool sees them: a tool gets the same error, or
 * the same answer after the same number of attempts. They are tried with the subjects below, all others with every
 * subject; with `TRACEGATE_TEST_FAULTS=all` these too.
 */
export const likeTheirNeighbours: ReadonlySet<string> = new Set([
  'no such name',
  'no such name once',
  'refused once',
  'reset: no byte',
  'reset: byte 1',
  'reset: in head',
  'reset: after head',
  'reset: last byte',
  'closed: no byte',
  'closed: in body',
  'chunks cut',
  'last chunk lost',
  'length too large',
  'byte by byte',
  'garbage',
  'half a head',
  'half a body',
  'half a body, always',
  'slow drip',
  'TLS expired',
  'TLS other host',
  'TLS to HTTP',
  'HTTP to TLS',
  '403 page',
  '404 text',
  '405',
  '408',
  '425',
  '501',
  ...['429', '503'].flatMap((status) =>
    ['0', 'a date', 'a past date', 'negative', 'no number'].map((form) => `${status}, ${form}`),
  ),
  ...['429', '503'].flatMap((status) => ['1', '19'].map((wait) => `${status} always, ${wait} s`)),
  '429, no wait',
  '429, 19 s',
  '503, no wait',
  '503, 2 s',
  '502 twice',
  '503 once',
  '503 twice',
  '504 once',
  '504 twice',
  '503 always',
  '504 always',
  '412',
  '413 page',
  '500 text',
  'login redirect',
  'empty 200',
  'half a JSON',
  'gzip',
  'gzip, broken',
  '503, an hour',
  'wrong type',
  'null',
  '[]',
  'a string',
  'a wrapper of nothing',
  'gzip of nothing',
  '301 elsewhere',
  '307 elsewhere',
  '308 elsewhere',
  'deep nesting',
  '80 MB',
  '80 MB of gzip',
])

/**
 * Faults that are also tried in the middle of every call, one of each kind: the token, the route, the thing, the service, an
 * answer. Others are tried there with the subjects below.
 */
export const inTheMiddle: ReadonlySet<string> = new Set([
  '401',
  '404 page',
  '404 of a gateway',
  '500 gRPC',
  '200 page',
  '{}',
])

/** A read of a list, a read of many requests, and writes that may and may not be repeated. */
export const representatives: ReadonlySet<string> = new Set([
  'list_tests',
  'get_fix_context',
  'save_requirement',
  'unlink_test',
])
