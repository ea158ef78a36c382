import { expect, test } from 'vitest'
import { createPace } from '../../../src/service/shared/pace.ts'

/** What ran in which order: pieces of so many milliseconds, and the turns that everything else of the process got. */
async function logged(durations: readonly number[]): Promise<string[]> {
  let clock = 0
  const log: string[] = []
  const pace = createPace({ sliceMs: 20, now: () => clock })
  let watching = true
  const watch = () => {
    log.push('turn')
    if (watching) setImmediate(watch)
  }
  const pieces = durations.map((duration) =>
    pace(() => {
      clock += duration
      log.push(`piece of ${duration}`)
    }),
  )
  setImmediate(watch)
  await Promise.all(pieces)
  watching = false
  return log
}

test('between two long pieces everything else of the process gets its turn', async () => {
  const log = await logged([30, 30, 30])
  const pieces = log.flatMap((entry, index) => (entry === 'piece of 30' ? [index] : []))
  expect(pieces).toHaveLength(3)
  expect(log.slice(pieces[0], pieces[1])).toContain('turn')
  expect(log.slice(pieces[1], pieces[2])).toContain('turn')
})

test('short pieces run without a pause until together they were long', async () => {
  const log = await logged([5, 5, 5, 5, 5])
  expect(log.slice(0, 5)).toEqual(['piece of 5', 'piece of 5', 'piece of 5', 'piece of 5', 'turn'])
})

test('a piece that fails rejects alone, and results come back in order', async () => {
  const pace = createPace()
  const outcomes = await Promise.allSettled([
    pace(() => 1),
    pace(() => {
      throw new Error('broken')
    }),
    pace(() => 3),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(outcomes[2]).toMatchObject({ value: 3 })
})

test('more pieces than can wait are refused, and there is room again afterwards', async () => {
  const pace = createPace()
  const outcomes = await Promise.allSettled(Array.from({ length: 5_001 }, (_, index) => pace(() => index)))
  expect(outcomes.filter(({ status }) => status === 'rejected')).toMatchObject([{ reason: { code: 'unavailable' } }])
  expect(await pace(() => 'again')).toBe('again')
})
