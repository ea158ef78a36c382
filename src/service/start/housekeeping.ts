import { counted } from '../../lib/counted.ts'
import type { Platform } from '../shared/context.ts'
import { runRetention } from '../errors/issues/retention.ts'
import { removeOldRuns } from '../agents/runs/retention.ts'
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
  if (await isAhead({ db, platform, log })) return
  const now = platform.now()
  const retention = async (what: string, remove: () => Promise<number> | undefined) => {
    const messages = { done: `retention removed ${what}`, failed: `retention of ${what} failed` }
    await attempt(log, { where: 'retention', ...messages }, remove)
  }
  await retention('old occurrences', async () => {
    const { occurrences, bodies } = await runRetention(db, now, signal)
    return occurrences + bodies
  })
  await retention('old test results', () => removeOldResults(db, now, signal))
  await retention('old agent runs', () => removeOldRuns(db, now, signal))
  const uploads = { done: 'uploads without a confirm were removed', failed: 'removing old uploads failed' }
  await attempt(log, { where: 'uploads', ...uploads }, () => expireUploads?.(signal))
  await retention('unused source maps', () => removeUnusedMaps?.(signal))
}

/**
 * Whether the clock of this machine is ahead of that of the database's server, or cannot be compared: it would remove what is
 * young for all processes.
 */
async function isAhead({ db, platform, log }: Pick<HousekeepingOptions, 'db' | 'platform' | 'log'>): Promise<boolean> {
  const where = 'retention'
  try {
    const server = await db.serverTime?.()
    const aheadMs = server === undefined ? 0 : platform.now() - server
    if (aheadMs < hourMs) return false
    const hours = Math.round(aheadMs / hourMs)
    const message = `nothing is removed: the clock of this machine is ${counted(hours, 'hour')} ahead of that of the database server`
    log?.({ level: 'warn', message, where })
  } catch (thrown) {
    log?.({ level: 'warn', message: 'the database server did not tell its time', where, error: stackText(thrown) })
  }
  return true
}

/** Removes something and logs that it did. After a failure the next run tries again: leftovers are harmless until then. */
async function attempt(
  log: Log | undefined,
  { where, done, failed }: { where: string; done: string; failed: string },
  remove: () => Promise<number> | undefined,
): Promise<void> {
  try {
    const removed = (await remove()) ?? 0
    if (removed > 0) log?.({ level: 'info', message: done, where })
  } catch (thrown) {
    log?.({ level: 'warn', message: failed, where, error: stackText(thrown) })
  }
}
