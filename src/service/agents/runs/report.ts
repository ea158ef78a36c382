import { letOthersRun } from '../../../lib/turns-of-others.ts'
import type { Platform } from '../../shared/context.ts'
import type { Database, Prepare } from '../../sql/database.ts'
import type { AgentContext, EventData, Progress } from '../define.ts'
import { appendEvents, type NewEvent } from './append.ts'
import type { FindingEvent } from './findings.ts'
import { leasedState, type Lease } from './lease.ts'

/** Reports of progress without a total between two events. */
const EVENT_EVERY = 100
/** The longest work in one turn of the event loop. */
const TURN_MS = 20

/** Thrown into a run that has to stop: it was cancelled, took too long, or another process executes it now. */
export class RunStopped extends Error {
  constructor() {
    super('the run has been stopped')
    this.name = 'RunStopped'
  }
}

export interface ReportOptions {
  db: Database
  platform: Platform
  lease: Lease
  /** Aborts when the run has to stop. */
  signal: AbortSignal
  findingEvent: FindingEvent
  /** Called after each commit. */
  onChanged: (runId: string) => void
}

/** The functions with which a run reports; each rejects with `RunStopped` when the run has to stop. */
export function createReport(options: ReportOptions): Pick<AgentContext, 'progress' | 'log' | 'warn' | 'finding'> {
  const { db, platform, lease, signal, findingEvent, onChanged } = options
  const isEventDue = progressEvents()
  const turns = createTurns()

  function checkSignal(): void {
    if (signal.aborted) throw new RunStopped()
  }

  async function write(event: NewEvent, alsoWrite?: (prepare: Prepare) => Promise<void>): Promise<void> {
    checkSignal()
    await db.batch(async (prepare) => {
      if ((await leasedState(prepare, lease)) !== 'AGENT_RUN_STATE_RUNNING') throw new RunStopped()
      await alsoWrite?.(prepare)
      await appendEvents(prepare, platform, lease.runId, [event])
    })
    onChanged(lease.runId)
  }

  return {
    async progress(progress) {
      if (isEventDue(progress))
        await write(progressEvent(progress), (prepare) => storeProgress(prepare, lease, progress))
      await turns()
      checkSignal()
    },
    log: (message, data) => write({ kind: 'LOG', message, data }),
    warn: (message, data) => write({ kind: 'WARNING', message, data }),
    async finding(message, data) {
      checkSignal()
      const event = findingEvent(message, data)
      if (event !== undefined) await write(event)
    },
  }
}

/** Whether a report of progress gets an event: the first of its phase, and each further tenth of its total. */
function progressEvents(): (progress: Progress) => boolean {
  let last = { phase: '', step: -1 }
  return ({ phase, done, total }) => {
    const step = total > 0 ? Math.floor((10 * done) / total) : Math.floor(done / EVENT_EVERY)
    if (phase === last.phase && step <= last.step) return false
    last = { phase, step }
    return true
  }
}

function progressEvent({ phase, done, total }: Progress): NewEvent {
  const data: EventData = { phase, done, total }
  return {
    kind: 'PROGRESS',
    message: total > 0 ? `${phase}: ${String(done)} of ${String(total)}` : `${phase}: ${String(done)}`,
    data,
  }
}

async function storeProgress(prepare: Prepare, { runId }: Lease, { phase, done, total }: Progress): Promise<void> {
  await prepare('UPDATE agent_run SET progress_phase = ?2, progress_done = ?3, progress_total = ?4 WHERE id = ?1').run(
    runId,
    phase,
    done,
    total,
  )
}

/** Lets the rest of the process run once a turn has lasted long enough. */
function createTurns(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < TURN_MS) return
    await letOthersRun()
    since = performance.now()
  }
}
