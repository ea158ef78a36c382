import { expect, test } from 'vitest'
import { createIntake, IntakeError, type IntakeLimits } from '../../src/lib/intake.ts'

const limits: IntakeLimits = {
  bytes: 100,
  bytesPerOwner: 60,
  timeoutMs: 60_000,
  graceMs: 60_000,
  bytesPerSecond: 0,
}

/** A body that sends so many bytes and then nothing until it is told to end. */
function sender(bytes: number) {
  const end = Promise.withResolvers<void>()
  const sent = Promise.withResolvers<void>()
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(new Uint8Array(bytes))
    sent.resolve()
    await end.promise
  }
  return { chunks: chunks(), sent: sent.promise, finish: () => end.resolve() }
}

const noRoom = new IntakeError('no_room')
const tooSlow = new IntakeError('too_slow')

test('a body that is complete is returned, one over its limit is not', async () => {
  const hold = createIntake(limits).hold('a')
  async function* pieces() {
    yield Buffer.from('ab')
    yield await Promise.resolve(Buffer.from('cd'))
  }
  expect((await hold.collect(pieces(), 4))?.toString()).toBe('abcd')
  expect(await hold.collect(pieces(), 3)).toBeUndefined()
})

test('the bytes of each piece are reported, and the listener may refuse the rest', async () => {
  const hold = createIntake(limits).hold('a')
  const seen: number[] = []
  const refuse = (bytes: number) => {
    seen.push(bytes)
    if (seen.length === 2) throw new Error('too much')
  }
  async function* pieces() {
    yield await Promise.resolve(new Uint8Array(3))
    yield new Uint8Array(5)
    yield new Uint8Array(7)
  }
  await expect(hold.collect(pieces(), 100, refuse)).rejects.toThrow('too much')
  expect(seen).toEqual([3, 5])
})

test('the oldest unfinished body of an owner makes room for the next', async () => {
  const intake = createIntake(limits)
  const [first, second, other] = [sender(40), sender(40), sender(40)]
  const displaced = intake.hold('a').collect(first.chunks, 100)
  const elsewhere = intake.hold('b').collect(other.chunks, 100)
  await Promise.all([first.sent, other.sent])
  const taken = intake.hold('a').collect(second.chunks, 100)
  await expect(displaced).rejects.toEqual(noRoom)
  for (const { finish } of [second, other]) finish()
  expect([(await taken)?.length, (await elsewhere)?.length]).toEqual([40, 40])
})

test('in all, the owner that holds most makes room', async () => {
  const intake = createIntake(limits)
  const [large, small, next] = [sender(55), sender(10), sender(40)]
  const modest = intake.hold('b').collect(small.chunks, 100)
  const greedy = intake.hold('a').collect(large.chunks, 100)
  await Promise.all([large.sent, small.sent])
  const taken = intake.hold('c').collect(next.chunks, 100)
  await expect(greedy).rejects.toEqual(noRoom)
  for (const { finish } of [small, next]) finish()
  expect([(await modest)?.length, (await taken)?.length]).toEqual([10, 40])
})

test('requests that are being handled keep their memory, and the newest is refused', async () => {
  const intake = createIntake(limits)
  const hold = intake.hold('a')
  hold.add(50)
  const next = sender(20)
  await expect(intake.hold('a').collect(next.chunks, 100)).rejects.toEqual(noRoom)
  expect(() => intake.hold('a').add(11)).toThrow(noRoom)
  hold.release()
  hold.release()
  intake.hold('a').add(60)
})

test('a request that lost its memory gets no more', async () => {
  const intake = createIntake(limits)
  const [first, second] = [sender(60), sender(60)]
  const hold = intake.hold('a')
  const displaced = hold.collect(first.chunks, 100)
  await first.sent
  const taken = intake.hold('a').collect(second.chunks, 100)
  await expect(displaced).rejects.toEqual(noRoom)
  expect(() => hold.add(1)).toThrow(noRoom)
  second.finish()
  expect((await taken)?.length).toBe(60)
})

test('a body that does not end is given up, and one below the least rate sooner', async () => {
  const silent = createIntake({ ...limits, timeoutMs: 10 }).hold('a')
  await expect(silent.collect(sender(5).chunks, 100)).rejects.toEqual(tooSlow)
  const slow = createIntake({ ...limits, graceMs: 10, bytesPerSecond: 1e6 }).hold('a')
  await expect(slow.collect(sender(5).chunks, 100)).rejects.toEqual(tooSlow)
})

test('what a sender throws is passed on', async () => {
  async function* broken() {
    yield await Promise.resolve(Buffer.from('a'))
    throw new Error('aborted')
  }
  await expect(createIntake(limits).hold('a').collect(broken(), 100)).rejects.toThrow('aborted')
})
