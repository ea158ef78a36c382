import { expect, test } from 'vitest'
import { Budget } from '../../src/client/budget.ts'
import type { Clock } from '../../src/lib/clock.ts'

/** A clock whose timers run when the test says so. */
function manualClock() {
  const timers = new Set<() => void>()
  const clock: Clock = {
    now: () => 0,
    after(_, run) {
      timers.add(run)
      return () => void timers.delete(run)
    },
  }
  const runTimers = async () => {
    // A timer is set after all that a call does without waiting.
    await new Promise<void>((done) => process.nextTick(done))
    for (const run of timers) run()
  }
  return { clock, runTimers, timers }
}

test('a signal that is asked for after the time is over has the same reason as one from before', async () => {
  const { clock, runTimers } = manualClock()
  const [early, late] = [new Budget({ totalMs: 10, clock }), new Budget({ totalMs: 10, clock })]
  const { signal } = early
  early.start()
  late.start()
  await runTimers()
  expect([signal, late.signal]).toMatchObject([
    { aborted: true, reason: { message: 'this call did not end within its 0.01 s' } },
    { aborted: true, reason: { message: 'this call did not end within its 0.01 s' } },
  ])
})

test('a call that ends without waiting sets no timer, and one that waits sets one', async () => {
  const { clock, runTimers, timers } = manualClock()
  const [short, long] = [new Budget({ totalMs: 10, clock }), new Budget({ totalMs: 10, clock })]
  short.start()
  await short.outcome(Promise.resolve())
  short.end()
  await runTimers()
  expect(timers.size).toBe(0)
  long.start()
  await runTimers()
  expect(timers.size).toBe(1)
})

test('the reason of the first end stays', () => {
  const caller = new AbortController()
  const budget = new Budget({ totalMs: 10, signal: caller.signal, clock: manualClock().clock })
  caller.abort(new Error('the caller has left'))
  budget.end()
  expect(budget.signal.reason).toMatchObject({ message: 'the caller has left' })
})

test('a budget whose caller has left does not start', async () => {
  const { clock, runTimers } = manualClock()
  const budget = new Budget({ totalMs: 10, signal: AbortSignal.abort(new Error('gone')), clock })
  budget.start()
  await runTimers()
  expect(budget.isOver()).toBe(false)
})

test('a budget that nobody listened to knows that its caller left before the time was over', async () => {
  const { clock, runTimers } = manualClock()
  const caller = new AbortController()
  const budget = new Budget({ totalMs: 10, signal: caller.signal, clock })
  budget.start()
  caller.abort(new Error('the caller has left'))
  await runTimers()
  expect([budget.isOver(), budget.signal]).toMatchObject([false, { reason: { message: 'the caller has left' } }])
})

test('a signal that is asked for after the caller has left is aborted, and one from before is too', () => {
  const caller = new AbortController()
  const of = { totalMs: 10, signal: caller.signal, clock: manualClock().clock }
  const [early, late] = [new Budget(of), new Budget(of)]
  const { signal } = early
  caller.abort(new Error('the caller has left'))
  expect([signal.aborted, late.signal.aborted]).toEqual([true, true])
})
