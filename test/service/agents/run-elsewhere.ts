import { appendEvents } from '../../../src/service/agents/runs/append.ts'
import { endRun } from '../../../src/service/agents/runs/end.ts'
import { systemPlatform } from '../../../src/service/shared/platform.ts'
import type { App } from '../../app.ts'

/** A run that another process executes on the same database: the app's service gets no signal of its changes. */
export interface RunElsewhere {
  id: string
  configId: string
  /** Commits this number of LOG events at once. */
  log(this: void, count: number): Promise<void>
  /** Ends the run, with its COMPLETED event. */
  succeed(this: void): Promise<void>
  /** Deletes the events up to a number, as retention does. */
  forget(this: void, upTo: number): Promise<void>
}

/** Longer than any test, and not so long that only a clock that was ahead can have made the lease. */
const LEASE_MS = 2 * 60_000

/** Inserts the run. Its lease lasts until the test has ended, so that the app's own runner leaves it alone. */
export async function runElsewhere(app: Pick<App, 'db' | 'productId'>, configId = 'a config'): Promise<RunElsewhere> {
  const id = systemPlatform.newId()
  await app.db.write((rows) =>
    rows
      .insertInto('agent_run')
      .values({
        id,
        product_id: Number(app.productId),
        agent_config_id: configId,
        agent_type_id: 'probe',
        state: 'AGENT_RUN_STATE_RUNNING',
        input: '{}',
        timeout_seconds: 300,
        started_by: '{"type":"ACTOR_TYPE_API_TOKEN","id":"t","display_name":"Sam","user_id":"u"}',
        principal: '{}',
        created_at: systemPlatform.now(),
        lease_until: systemPlatform.now() + LEASE_MS,
      })
      .execute(),
  )
  let logged = 0
  return {
    id,
    configId,
    log: (count) =>
      app.db.batch(async (prepare) => {
        const events = Array.from({ length: count }, () => ({ kind: 'LOG' as const, message: lineText(++logged) }))
        await appendEvents(prepare, systemPlatform, id, events)
      }),
    succeed: () =>
      app.db.batch(async (prepare) => {
        const end = { summary: 'Done.', output: '{}', branchId: '', truncationSignals: [], events: [] }
        await endRun(prepare, systemPlatform, id, { state: 'AGENT_RUN_STATE_SUCCEEDED', ...end })
      }),
    async forget(upTo) {
      await app.db.write((rows) =>
        rows.deleteFrom('agent_run_event').where('run_id', '=', id).where('sequence', '<=', upTo).execute(),
      )
    },
  }
}

/** The message of a LOG event, with characters of two to four bytes. */
export function lineText(number: number): string {
  return `línea ${String(number)} ✓ 🧭`
}

/** An item of a stream, as the service sends it or as a client reads it. */
interface StreamedItem {
  event?: { sequence?: number; type?: string } | undefined
  resync?: { first_sequence?: number; last_sequence?: number } | undefined
}

/** An item in short form: the number of an event, with `done` for the last one, or the numbers of a resync. */
export function brief({ event, resync }: StreamedItem): string {
  if (resync !== undefined) return `resync ${String(resync.first_sequence)} to ${String(resync.last_sequence)}`
  if (event === undefined) throw new Error('an item without a member')
  return event.type === 'AGENT_RUN_EVENT_TYPE_COMPLETED' ? `done ${String(event.sequence)}` : String(event.sequence)
}
