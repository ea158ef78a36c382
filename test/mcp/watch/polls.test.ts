import { expect, test, vi } from 'vitest'
import { ServiceError } from '../../../src/errors.ts'
import { createPolls, type ReadState } from '../../../src/mcp/watch/polls.ts'
import { virtualClock } from '../../virtual-clock.ts'

const POLL_MS = 15_000

function listener() {
  return { changed: vi.fn<() => void>(), ended: vi.fn<() => void>(), isListening: vi.fn<() => boolean>(() => true) }
}

const still = (digest: string) => ({ digest, isMoving: false })
const moving = (digest: string) => ({ digest, isMoving: true })

test('what will change soon is read every two seconds, and every 15 once it stands still', async () => {
  const clock = virtualClock()
  const read = vi.fn<() => Promise<ReadState>>().mockResolvedValueOnce(moving('a')).mockResolvedValue(still('b'))
  const one = listener()
  await createPolls(clock).watch('key', read, one)
  clock.pass(2_000)
  await expect.poll(() => one.changed.mock.calls.length).toBe(1)
  clock.pass(2_000)
  expect(read).toHaveBeenCalledTimes(2)
  clock.pass(POLL_MS)
  expect(read).toHaveBeenCalledTimes(3)
})

test('a service that cannot be reached for a while is asked again, and the change is told then', async () => {
  const clock = virtualClock()
  const read = vi.fn<() => Promise<ReadState>>().mockResolvedValueOnce(still('a'))
  const one = listener()
  await createPolls(clock).watch('key', read, one)
  read.mockRejectedValueOnce(new ServiceError('unavailable', 'away')).mockResolvedValue(still('b'))
  const changesLater = () => {
    clock.pass(POLL_MS)
    return one.changed.mock.calls.length
  }
  await expect.poll(changesLater).toBe(1)
  expect(one.ended).not.toHaveBeenCalled()
})

test('nothing is read while no one listens, and what changed meanwhile is told afterwards', async () => {
  const clock = virtualClock()
  const read = vi.fn<() => Promise<ReadState>>().mockResolvedValueOnce(still('a')).mockResolvedValue(still('b'))
  const one = listener()
  one.isListening.mockReturnValue(false)
  await createPolls(clock).watch('key', read, one)
  clock.pass(POLL_MS)
  clock.pass(POLL_MS)
  expect(read).toHaveBeenCalledTimes(1)
  one.isListening.mockReturnValue(true)
  clock.pass(POLL_MS)
  await expect.poll(() => one.changed.mock.calls.length).toBe(1)
})

test('a resource can be watched again after a first read that failed, and after its watch has ended', async () => {
  const clock = virtualClock()
  const polls = createPolls(clock)
  const gone = new ServiceError('not_found', 'gone')
  const read = vi.fn<() => Promise<ReadState>>().mockRejectedValueOnce(gone).mockResolvedValueOnce(still('a'))
  const one = listener()
  await expect(polls.watch('key', read, one)).rejects.toBe(gone)
  await polls.watch('key', read, one)
  read.mockRejectedValueOnce(gone).mockResolvedValueOnce(still('c'))
  clock.pass(POLL_MS)
  await expect.poll(() => one.ended.mock.calls.length).toBe(1)
  clock.pass(POLL_MS)
  expect(read).toHaveBeenCalledTimes(3)
  await polls.watch('key', read, listener())
  expect(read).toHaveBeenCalledTimes(4)
})

test('who leaves before the first read has ended is not polled for', async () => {
  const clock = virtualClock()
  let answer: (state: ReadState) => void = () => {}
  const read = vi.fn<() => Promise<ReadState>>(() => new Promise((resolve) => (answer = resolve)))
  const leaving = createPolls(clock).watch('key', read, listener())
  answer(still('a'))
  const leave = await leaving
  leave()
  clock.pass(POLL_MS)
  expect(read).toHaveBeenCalledTimes(1)
})
