import { expect, test } from 'vitest'
import type { Rate } from '../../../src/lib/token-bucket.ts'
import { createSharedRates, type SharedRates } from '../../../src/service/processes/shared-rates.ts'
import type { Messages } from '../../../src/service/sql/database.ts'
import { virtualClock } from '../../virtual-clock.ts'

/** Processes that hear each other at once, on one clock; `sent` is what they told. */
function processes(count: number) {
  const clock = virtualClock()
  const sent: string[] = []
  const listeners: ((text: string) => void)[] = []
  const join = (): SharedRates => {
    const own: ((text: string) => void)[] = []
    const messages: Messages = {
      send(text) {
        sent.push(text)
        for (const heard of listeners) if (!own.includes(heard)) heard(text)
      },
      listen(heard) {
        own.push(heard)
        listeners.push(heard)
      },
    }
    return createSharedRates({ platform: { now: () => clock.now() }, clock, messages })
  }
  return { clock, sent, listeners, all: Array.from({ length: count }, join) }
}

const rate: Rate = { perSecond: 20, burst: 100 }

test.each([1, 2, 5])('%i processes together admit the rate of a key, after one burst in each', (count) => {
  const { clock, all } = processes(count)
  const takes = all.map(({ limit }) => limit('rest'))
  let admitted = 0
  for (let tenth = 0; tenth < 600; tenth += 1) {
    for (const take of takes) for (let tries = 0; tries < 10; tries += 1) if (take('key', 1, rate) === 0) admitted += 1
    clock.pass(100)
  }
  const earned = 60 * rate.perSecond
  expect(admitted).toBeGreaterThan(earned)
  expect(admitted).toBeLessThan(earned * 1.1 + (count + 1) * rate.burst)
})

test('a process that a busy key has never used admits it after one burst, as if it had counted from the start', () => {
  const { clock, all } = processes(2)
  const [used, unused] = all.map(({ limit }) => limit('rest'))
  for (let tenth = 0; tenth < 6_000; tenth += 1) {
    for (let tries = 0; tries < 5; tries += 1) used?.('key', 1, rate)
    clock.pass(100)
  }
  expect(unused?.('key', 1, rate)).toBeLessThanOrEqual(1)
})

test('limits of different names do not share tokens', () => {
  const { clock, all } = processes(2)
  const [one, two] = all
  one?.limit('requests')('key', 100, rate)
  two?.limit('events')
  clock.pass(1_000)
  expect(two?.limit('events')('key', 1, rate)).toBe(0)
  expect(two?.limit('requests')('key', 1, rate)).toBe(0)
})

test('the keys that spent much go into few messages below 8,000 bytes without spaces, and nothing is sent for the others', () => {
  const { clock, sent, all } = processes(2)
  const [take, elsewhere] = all.map(({ limit }) => limit('rest'))
  const keys = Array.from({ length: 500 }, (_, index) => `01890000-0000-7000-8000-${String(index).padStart(12, '0')}`)
  const slow = { perSecond: 0.001, burst: 100 }
  for (const key of keys) take?.(key, 100, slow)
  for (let count = 0; count < 500; count += 1) take?.(`little-${String(count)}`, 10, slow)
  clock.pass(1_000)
  expect(sent).toHaveLength(4)
  for (const text of sent) expect([Buffer.byteLength(text) < 7_900, text.includes(' ')]).toEqual([true, false])
  expect(keys.filter((key) => elsewhere?.(key, 1, slow) === 0)).toEqual([])
  sent.length = 0
  clock.pass(60_000)
  expect(sent).toEqual([])
})

test('what is no list of spent tokens is not counted', () => {
  const { listeners, all } = processes(1)
  const take = all[0]?.limit('rest')
  for (const text of [
    'look',
    'spent:',
    'spent:[["rest","key"]]',
    'spent:[["rest","key",5]]',
    'spent:[["rest","key",-5,1]]',
    'spent:[["no","key",5,1]]',
  ]) {
    for (const heard of listeners) heard(text)
  }
  expect(take?.('key', 1, { perSecond: 1, burst: 1 })).toBe(0)
  expect(take?.('key', 1, { perSecond: 1, burst: 1 })).toBe(1)
})

test('without messages each process counts for itself', () => {
  const clock = virtualClock()
  const { limit, close } = createSharedRates({ platform: { now: () => clock.now() }, clock, messages: undefined })
  expect(limit('rest')('key', 100, rate)).toBe(0)
  expect(limit('rest')('key', 1, rate)).toBe(1)
  expect(clock.untilNext()).toBe(Infinity)
  close()
})
