import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { defaultGatePolicy } from '../../../src/contract/quality-gate/policy.ts'
import type { ExclusionFact, GateFacts } from '../../../src/service/gate/facts.ts'
import { digestInputs } from '../../../src/service/gate/verdict/digest.ts'
import { exclusion, passing, testCase } from './product.ts'

const LARGE = 1_000_000
const PRODUCTS = 40

setFlagsFromString('--expose-gc')
/** The flag makes a global function of it in contexts that are created later. */
const collect = runInNewContext('gc') as () => void

function buffersInUse(): number {
  collect()
  return process.memoryUsage().arrayBuffers
}

test('the texts of what verdicts rested on are kept of a few products, though the exclusions of all of them are kept', async () => {
  const lists: (readonly ExclusionFact[])[] = []
  const before = buffersInUse()
  for (let nr = 0; nr < PRODUCTS; nr += 1) {
    const exclusions = [exclusion()]
    lists.push(exclusions)
    await digestInputs(madeOf(exclusions), defaultGatePolicy, [])
  }
  expect(buffersInUse() - before).toBeLessThan((PRODUCTS / 2) * LARGE)
  expect(lists).toHaveLength(PRODUCTS)
})

test('a verdict has the digest of what it rests on, whatever other one had the same exclusions before', async () => {
  const exclusions = [exclusion()]
  const one = await digestInputs(madeOf(exclusions), defaultGatePolicy, [])
  const other = await digestInputs({ ...madeOf(exclusions), isUnexposed: true }, defaultGatePolicy, [])
  expect(other).not.toBe(one)
  expect(await digestInputs(madeOf([exclusion()]), defaultGatePolicy, [])).toBe(one)
  expect(await digestInputs(madeOf(exclusions), defaultGatePolicy, [])).toBe(one)
})

function madeOf(exclusions: readonly ExclusionFact[]): GateFacts {
  return passing({ tests: [testCase({ componentIds: ['c'.repeat(LARGE)] })], exclusions })
}
