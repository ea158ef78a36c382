import type { Platform } from '../shared/context.ts'
import { runRetention } from '../errors/issues/retention.ts'
import type { Log } from '../shared/log.ts'
import { stackText } from '../../lib/stack.ts'
import type { Database } from '../sql/database.ts'
import { removeOldResults } from '../quality/cases/retention.ts'
import { hourMs } from '../shared/times.ts'

/** Long enough not to slow down the start, or a process that answers a single call. */
const FIRST_RUN_MS = 30_000

interface HousekeepingOptions {
  db: Database
  platform: Platform
  log?: Log | undefined
  /** Expires uploads that were not confirmed; resolves to their number. */
  expireUploads?: ((signal: AbortSignal) => Promise<number>) | undefined
  /** Removes source maps that are not used; resolves to their number. */
  removeUnusedMaps?: ((signal: AbortSignal) => Promise<number>) | undefined
}

/**
 * Removes data past its retention and uploads that were not confirmed, soon after the start and then hourly, never two
 * runs at once. Its timers do not keep the process alive. `stop` ends a run in progress after its current step, and
 * waits for it.
 */
export function startHousekeeping(options: HousekeepingOptions): { stop(): Promise<void> } {
  let running: Promise<void> | undefined
  const stopping = new AbortController()
  const run = () => {
    running ??= clean({ ...options, signal: stopping.signal }).finally(() => (running = undefined))
  }
  const first = setTimeout(run, FIRST_RUN_MS).unref()
  const hourly = setInterval(run, hourMs).unref()
  return {
    async stop() {
      clearTimeout(first)
      clearInterval(hourly)
      stopping.abort()
      await running
    },
  }
}

async function clean({
  db,
  platform,
  log,
  expireUploads,
  removeUnusedMaps,
  signal,
}: HousekeepingOptions & { signal: AbortSignal }): Promise<void> {
  try {
    const removed = await runRetention(db, platform.now(), signal)
    if (removed.occurrences > 0 || removed.bodies > 0)
      log?.({ level: 'info', message: 'retention removed old occurrences', where: 'retention' })
  } catch (thrown) {
    // The next run tries again; leftovers are harmless until then.
    log?.({ level: 'warn', message: 'retention failed', where: 'retention', error: stackText(thrown) })
  }
  try {
    const results = await removeOldResults(db, platform.now(), signal)
    if (results > 0) log?.({ level: 'info', message: 'retention removed old test results', where: 'retention' })
  } catch (thrown) {
    log?.({ level: 'warn', message: 'retention of test results failed', where: 'retention', error: stackText(thrown) })
  }
  try {
    const expired = (await expireUploads?.(signal)) ?? 0
    if (expired > 0) log?.({ level: 'info', message: 'uploads without a confirm were removed', where: 'uploads' })
  } catch (thrown) {
    log?.({ level: 'warn', message: 'removing old uploads failed', where: 'uploads', error: stackText(thrown) })
  }
  try {
    const removed = (await removeUnusedMaps?.(signal)) ?? 0
    if (removed > 0) log?.({ level: 'info', message: 'retention removed unused source maps', where: 'retention' })
  } catch (thrown) {
    log?.({ level: 'warn', message: 'retention of source maps failed', where: 'retention', error: stackText(thrown) })
  }
}
