import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTurnstile, letOthersRun } from '../../src/lib/turns-of-others.ts'

test('no more pass in a turn of the event loop than allowed, in the order in which they came', async () => {
  const pass = createTurnstile(2)
  const passed: number[] = []
  const all = Promise.all([1, 2, 3, 4, 5].map((one) => pass().then(() => passed.push(one))))
  await Promise.resolve()
  await Promise.resolve()
  expect(passed).toEqual([1, 2])
  await nextTurn()
  expect(passed).toEqual([1, 2, 3, 4])
  await all
  expect(passed).toEqual([1, 2, 3, 4, 5])
})

test('a caller who comes later passes at once when a turn has gone by', async () => {
  const pass = createTurnstile(1)
  await pass()
  await nextTurn()
  await nextTurn()
  let passed = false
  void pass().then(() => (passed = true))
  await Promise.resolve()
  await Promise.resolve()
  expect(passed).toBe(true)
})

test('nothing passes in a turn that is held', async () => {
  const pass = createTurnstile(1)
  pass.hold()
  let passed = false
  void pass().then(() => (passed = true))
  await nextTurn()
  pass.hold()
  await nextTurn()
  expect(passed).toBe(false)
  await nextTurn()
  expect(passed).toBe(true)
})

test('one that is held again and again lets others pass now and then', async () => {
  const pass = createTurnstile(1)
  let passed = 0
  for (let waiting = 0; waiting < 3; waiting += 1) void pass().then(() => (passed += 1))
  for (let turn = 0; turn < 250; turn += 1) {
    pass.hold()
    await nextTurn()
  }
  expect(passed).toBe(3)
})

test('work that takes several turns is done before a long job goes on', async () => {
  let steps = 0
  async function request() {
    for (let step = 0; step < 3; step += 1) {
      await nextTurn()
      steps += 1
    }
  }
  void request()
  await letOthersRun()
  expect(steps).toBe(3)
})
