import { expect, test } from 'vitest'
import { createTurns } from '../../src/lib/in-turn.ts'

test('work of one key runs sequentially, also after a failure, and other keys do not wait', async () => {
  const turns = createTurns<string>()
  const order: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = turns.run('a', async () => {
    await gate.promise
    order.push('first')
    throw new Error('first failed')
  })
  const second = turns.run('a', () => Promise.resolve(order.push('second')))
  await turns.run('b', () => Promise.resolve(order.push('other')))
  expect(turns.isBusy('a')).toBe(true)
  expect(turns.isBusy('b')).toBe(false)
  gate.resolve()
  await expect(first).rejects.toThrow('first failed')
  await second
  expect(order).toEqual(['other', 'first', 'second'])
  await turns.settled()
  expect(turns.isBusy('a')).toBe(false)
})
