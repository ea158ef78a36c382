import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { LogEntry } from '../../src/service/shared/log.ts'
import { startHousekeeping } from '../../src/service/start/housekeeping.ts'
import { dayMs, hourMs, openRig } from '../service/errors/issues/rig.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

test('a process whose clock is ahead of the server removes nothing for all others, says why, and goes on once it is right', async () => {
  await using rig = await openRig()
  rig.clock.now = Date.now() - 100 * dayMs
  for (let count = 0; count < 3; count += 1) await rig.append()
  const occurrences = async () => (await rig.db.read.selectFrom('occurrence').select('id').execute()).length
  const logged: LogEntry[] = []
  const db = await rig.openAnother()
  const housekeeping = startHousekeeping({
    db,
    platform: rig.platform,
    log: (entry) => logged.push(entry),
    expireUploads: () => Promise.resolve(1),
  })
  rig.clock.now = Date.now() + 365 * dayMs
  await vi.advanceTimersByTimeAsync(hourMs)
  await expect
    .poll(() => logged.map(({ level, message }) => `${level}: ${message}`))
    .toEqual(['warn: nothing is removed: the clock of this machine is 8760 hours ahead of that of the database server'])
  expect(await occurrences()).toBe(3)
  rig.clock.now = Date.now()
  await vi.advanceTimersByTimeAsync(hourMs)
  await expect.poll(() => logged.at(-1)?.message).toBe('uploads without a confirm were removed')
  expect(await occurrences()).toBe(2)
  await housekeeping.stop()
  await db.close()
})
