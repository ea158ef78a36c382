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

// The flags hold for the whole process.
test('a process does not let garbage lie until the heap has hundreds of megabytes', async () => {
  const args = ['--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: {} })
  expect(Number(stdout)).toBeLessThan(110)
})
