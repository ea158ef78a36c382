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
  const runTimers = () => {
    for (const run of timers) run()
  }
  return { clock, runTimers }
}

test('a signal that is asked for after the time is over has the same reason as one from before', () => {
  const { clock, runTimers } = manualClock()
  const [early, late] = [new Budget({ totalMs: 10, clock }), new Budget({ totalMs: 10, clock })]
  const { signal } = early
  early.start()
  late.start()
  runTimers()
  expect([signal, late.signal]).toMatchObject([
    { aborted: true, reason: { message: 'this call did not end within its 0.01 s' } },
    { aborted: true, reason: { message: 'this call did not end within its 0.01 s' } },
  ])
})

test('the reason of the first end stays', () => {
  const caller = new AbortController()
  const budget = new Budget({ totalMs: 10, signal: caller.signal, clock: manualClock().clock })
  caller.abort(new Error('the caller has left'))
  budget.end()
  expect(budget.signal.reason).toMatchObject({ message: 'the caller has left' })
})

test('a budget whose caller has left does not start', () => {
  const { clock, runTimers } = manualClock()
  const budget = new Budget({ totalMs: 10, signal: AbortSignal.abort(new Error('gone')), clock })
  budget.start()
  runTimers()
  expect(budget.isOver()).toBe(false)
})

test('a budget that nobody listened to knows that its caller left before the time was over', () => {
  const { clock, runTimers } = manualClock()
  const caller = new AbortController()
  const budget = new Budget({ totalMs: 10, signal: caller.signal, clock })
  budget.start()
  caller.abort(new Error('the caller has left'))
  runTimers()
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
