import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const module = join(import.meta.dirname, '../../src/lib/collect-garbage.ts')

/** Leaves half of a large heap as garbage, and prints what part of the heap stays, and how many collections took the rest away. */
const program = `
import { constants, PerformanceObserver } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { collectGarbageSoon } from ${JSON.stringify(module)}
const { NODE_PERFORMANCE_GC_MAJOR: major, NODE_PERFORMANCE_GC_FLAGS_FORCED: forced } = constants
const make = () => Array.from({ length: 400_000 }, (_, n) => ({ n, of: [n] }))
const alive = make()
let garbage = make()
await sleep(200)
let collections = []
new PerformanceObserver((list) => collections.push(...list.getEntries())).observe({ entryTypes: ['gc'] })
const before = process.memoryUsage().heapUsed
garbage = undefined
collectGarbageSoon()
const left = () => process.memoryUsage().heapUsed / before
const until = performance.now() + 10_000
while (left() > 0.75 && performance.now() < until) await sleep(20)
await sleep(20)
const majors = collections.filter(({ detail }) => detail.kind === major)
const atOnce = majors.filter(({ detail }) => (detail.flags & forced) > 0)
console.log(JSON.stringify({ left: left(), alive: alive.length, majors: majors.length, atOnce: atOnce.length }))
`

// The flags hold for the whole process.
test('what a large piece of work has left is collected without holding the process until all is done', async () => {
  const args = ['--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: {} })
  const { left, majors, atOnce } = JSON.parse(stdout) as Record<string, number>
  expect(left).toBeLessThan(0.75)
  expect(majors).toBeGreaterThan(0)
  expect(atOnce).toBe(0)
})
