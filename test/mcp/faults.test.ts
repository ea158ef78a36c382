import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Cell } from '../upstream/faults/cell.ts'
import type { Fault } from '../upstream/faults/fault.ts'
import { faults } from '../upstream/faults/faults.ts'
import { legend, openMatrix, planned, table, type Matrix } from '../upstream/faults/matrix.ts'
import { passes } from '../upstream/faults/rights.ts'

/** Cells that are wrong and not mended yet, as `subject | fault | place`, each with the reason. */
const knownDefects: ReadonlyMap<string, string> = new Map()

/**
 * Calls end in virtual time: it passes while the client waits before it repeats a request, and while an upstream that has
 * gone silent keeps it waiting. The client's own time limits run on that clock, so 25 s are 25 s and take no real time.
 * `npm run bench -- faults` measures the silent faults in real time.
 */
let matrix: Matrix
let cells: Cell[]
beforeAll(async () => {
  matrix = await openMatrix(12)
  cells = await matrix.run(faults.flatMap((fault) => planned(fault, matrix)))
}, 240_000)
afterAll(() => matrix[Symbol.asyncDispose]())

test('without a fault every call succeeds', () => {
  const failed = [...matrix.baseline.values()].filter(({ result }) => result.isError)
  expect(failed.map(({ subject, result }) => `${subject.name}: ${result.text}`)).toEqual([])
})

test('every call against every fault ends within 27 s in a right answer or the right teaching error', () => {
  // oxlint-disable-next-line no-console -- the matrix is what a run of the tests shows
  console.log(`${legend}\n${table(cells, matrix.subjects)}`)
  const wrong = cells.filter((cell) => cell.wrong.length > 0 && !knownDefects.has(nameOf(cell)))
  expect(wrong.map(described)).toEqual([])
})

test('a connection that ends at any byte of an answer is tried again by a read, and leaves no doubt about a write', async () => {
  const called = (name: string) => matrix.subjects.filter((subject) => subject.name === name)
  const ends = fc.record({ at: fc.nat({ max: 2_000 }), next: fc.constantFrom('reset' as const, 'end' as const) })
  await fc.assert(
    fc.asyncProperty(ends, async ({ at, next }) => {
      const cut = { at: ({ total }: { total: number }) => at % total, next }
      const fault: Fault = {
        name: `${next} at ${String(at)}`,
        says: 'The connection ends at this byte.',
        strike: { kind: 'back', change: (answer) => answer, cut },
        places: ['first', 'write'],
        right: passes,
      }
      const read = called('list_tests').map((subject) => ({ subject, fault, place: 'first' as const }))
      const write = called('save_requirement').map((subject) => ({ subject, fault, place: 'write' as const }))
      const tried = await matrix.run([...read, ...write])
      expect(tried.flatMap(({ wrong }) => wrong)).toEqual([])
    }),
    { numRuns: 40 },
  )
})

test('every fault strikes each tool', () => {
  const struck = new Set(cells.filter(({ log }) => log.some((entry) => entry.struck)).map(nameOf))
  expect(cells.map(nameOf).filter((name) => !struck.has(name))).toEqual([])
})

test('after a call has ended nothing is asked and no answer is left open', async () => {
  const open = () => cells.flatMap((cell) => cell.leftOver().map((what) => `${nameOf(cell)}: ${what}`))
  await expect.poll(open).toEqual([])
})

test('nothing is sent where a redirect leads', () => {
  expect(matrix.upstream.redirected).toEqual([])
})

test('known defects are cells of the matrix that are still wrong', () => {
  const wrong = new Set(cells.filter((cell) => cell.wrong.length > 0).map(nameOf))
  expect([...knownDefects.keys()].filter((name) => !wrong.has(name))).toEqual([])
})

function nameOf({ subject, fault, place }: Cell): string {
  return `${subject.name} | ${fault?.name ?? ''} | ${place}`
}

function described(cell: Cell): string {
  const requests = cell.log.map(
    ({ method, path, struck, status }) => `${method} ${path}${struck ? '*' : ''} ${String(status)}`,
  )
  return `${nameOf(cell)}: ${cell.wrong.join('; ')}\n${cell.result.text}\n${requests.join('\n')}`
}
