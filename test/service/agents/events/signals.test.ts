import { expect, test } from 'vitest'
import { createRunSignals } from '../../../../src/service/agents/events/signals.ts'
import { virtualClock } from '../../../virtual-clock.ts'

/** Watches one run, and counts the waits that have ended. */
function watchRun(runId: string) {
  const clock = virtualClock()
  const signals = createRunSignals(clock)
  const watch = signals.watch(runId)
  const leaving = new AbortController()
  const ended: number[] = []
  let waits = 0
  return {
    clock,
    signals,
    leaving,
    wait() {
      const number = (waits += 1)
      return watch.next(2000, leaving.signal).then(() => ended.push(number))
    },
    /** The waits that have ended by now. */
    async ended() {
      await new Promise(setImmediate)
      return ended
    },
  }
}

test('a wait ends when the run changes, and not when another run does', async () => {
  const watched = watchRun('a')
  void watched.wait()
  watched.signals.changed('b')
  expect(await watched.ended()).toEqual([])
  watched.signals.changed('a')
  expect(await watched.ended()).toEqual([1])
})

test('a change between two waits ends the next wait, and only that one', async () => {
  const watched = watchRun('a')
  watched.signals.changed('a')
  watched.signals.changed('a')
  await watched.wait()
  void watched.wait()
  expect(await watched.ended()).toEqual([1])
})

test('a wait ends after its longest time without a change', async () => {
  const watched = watchRun('a')
  void watched.wait()
  watched.clock.pass(1999)
  expect(await watched.ended()).toEqual([])
  watched.clock.pass(1)
  expect(await watched.ended()).toEqual([1])
})

test('a wait ends when the reader leaves', async () => {
  const watched = watchRun('a')
  void watched.wait()
  watched.leaving.abort()
  expect(await watched.ended()).toEqual([1])
})

test('a change ends the waits of all watches of the run, except stopped ones', async () => {
  const watched = watchRun('a')
  const other = watched.signals.watch('a')
  const gone = watched.signals.watch('a')
  gone.stop()
  const notified: string[] = []
  void other.next(2000, watched.leaving.signal).then(() => notified.push('other'))
  void gone.next(2000, watched.leaving.signal).then(() => notified.push('gone'))
  void watched.wait()
  watched.signals.changed('a')
  expect(await watched.ended()).toEqual([1])
  expect(notified).toEqual(['other'])
})
