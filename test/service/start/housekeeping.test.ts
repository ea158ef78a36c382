import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startHousekeeping } from '../../../src/service/start/housekeeping.ts'
import type { LogEntry } from '../../../src/service/shared/log.ts'
import { dayMs, hourMs, openRig } from '../errors/issues/rig.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

test('old occurrences go soon after the start and again within the hour, and none after the stop', async () => {
  await using rig = await openRig()
  const logged: LogEntry[] = []
  const platform = { now: () => rig.clock.now, newId: () => 'id' }
  const occurrences = async () => (await rig.db.read.selectFrom('occurrence').select('id').execute()).length
  const addThreeOld = async () => {
    for (let count = 0; count < 3; count += 1) await rig.append({})
    rig.clock.now += 100 * dayMs
  }

  await addThreeOld()
  const housekeeping = startHousekeeping({ db: rig.db, platform, log: (entry) => logged.push(entry) })
  expect(await occurrences()).toBe(3)
  await vi.advanceTimersByTimeAsync(30_000)
  await expect.poll(occurrences).toBe(2)

  await addThreeOld()
  const anHourLater = async () => {
    // The first run may still be busy with what it removes after occurrences.
    await vi.advanceTimersByTimeAsync(hourMs)
    return occurrences()
  }
  await expect.poll(anHourLater).toBe(2)
  expect(logged.map(({ message }) => message)).toContain('retention removed old occurrences')

  await housekeeping.stop()
  await addThreeOld()
  await vi.advanceTimersByTimeAsync(2 * hourMs)
  expect(await occurrences()).toBe(5)
})

test('uploads that nobody confirmed are ended in the same runs, also after a run that failed', async () => {
  await using rig = await openRig()
  const logged: LogEntry[] = []
  const results = [() => Promise.reject(new Error('the disk is gone')), () => Promise.resolve(2)]
  const expireUploads = vi.fn<() => Promise<number>>(() => results.shift()?.() ?? Promise.resolve(0))
  const platform = { now: () => rig.clock.now, newId: () => 'id' }
  const log = (entry: LogEntry) => void logged.push(entry)
  const housekeeping = startHousekeeping({ db: rig.db, platform, log, expireUploads })
  await vi.advanceTimersByTimeAsync(30_000)
  await expect.poll(() => logged.at(-1)?.message).toBe('removing old uploads failed')
  await vi.advanceTimersByTimeAsync(hourMs)
  await expect.poll(() => logged.at(-1)?.message).toBe('uploads without a confirm were removed')
  await housekeeping.stop()
  expect(expireUploads).toHaveBeenCalledTimes(2)
})

test('source maps that are not used are removed in the same runs, whatever happened before', async () => {
  await using rig = await openRig()
  const logged: LogEntry[] = []
  const housekeeping = startHousekeeping({
    db: rig.db,
    platform: { now: () => rig.clock.now, newId: () => 'id' },
    log: (entry) => void logged.push(entry),
    expireUploads: () => Promise.reject(new Error('the disk is gone')),
    removeUnusedMaps: () => Promise.resolve(1),
  })
  await vi.advanceTimersByTimeAsync(30_000)
  await expect.poll(() => logged.at(-1)?.message).toBe('retention removed unused source maps')
  await housekeeping.stop()
})
