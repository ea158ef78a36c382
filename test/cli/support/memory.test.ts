import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const memory = join(import.meta.dirname, '../../../src/cli/support/memory.ts')

/** Leaves garbage in the old generation as calls do, 10 MB of it alive, and prints the largest heap in MB. */
const program = `
import { keepHeapSmall } from ${JSON.stringify(memory)}
keepHeapSmall()
const alive = []
let most = 0
for (let n = 0; n < 6_000_000; n += 1) {
  alive[n % 100_000] = { n, of: [n] }
  if (n % 100_000 === 0) most = Math.max(most, process.memoryUsage().heapTotal)
}
console.log(Math.round(most / 1024 / 1024))
`

/**
 * Prints how large the young generation becomes, in MB of both halves: in work, at once after a collection as an idle process
 * has it, and in work again.
 */
const working = `
import { setImmediate as turn } from 'node:timers/promises'
import { getHeapSpaceStatistics } from 'node:v8'
import { keepHeapSmall } from ${JSON.stringify(memory)}
keepHeapSmall()
const youngMb = () => {
  const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')
  return young.space_size / 1024 / 1024
}
const alive = []
async function work() {
  let most = 0
  for (let n = 0; n < 6_000_000; n += 1) {
    const one = { n, of: [n] }
    // Of what a request makes, little outlives it.
    if (n % 10 === 0) alive[(n / 10) % 100_000] = one
    if (n % 10_000 > 0) continue
    most = Math.max(most, youngMb())
    await turn()
  }
  return most
}
const before = await work()
gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
const idle = youngMb()
console.log(JSON.stringify({ before, idle, after: await work() }))
`

async function run(text: string, ...options: string[]): Promise<unknown> {
  const args = [...options, '--input-type=module', '--eval', text]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: {} })
  return JSON.parse(stdout)
}

// The flags hold for the whole process.
test('a process does not let garbage lie until the heap has hundreds of megabytes', async () => {
  expect(await run(program)).toBeLessThan(110)
})

test('the young generation has about 16 MB for each half under load, also after the process has been idle', async () => {
  const { before, idle, after } = (await run(working, '--expose-gc')) as { before: number; idle: number; after: number }
  expect(idle).toBeLessThan(4)
  // V8 would let it have 64; some MB more are those that a collection is about to move.
  for (const most of [before, after]) {
    expect(most).toBeGreaterThan(24)
    expect(most).toBeLessThan(52)
  }
})
