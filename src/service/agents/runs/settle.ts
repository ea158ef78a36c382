import { ServiceError } from '../../../errors.ts'
import { cutWithEllipsis, replaceUnstorable } from '../../../lib/text.ts'
import type { Platform } from '../../shared/context.ts'
import type { Database, Prepare, Rows } from '../../sql/database.ts'
import { OUTPUT_BYTES } from '../output-size.ts'
import type { NewEvent } from './append.ts'
import { endRun, type RunEnd } from './end.ts'
import { leasedState, type Lease } from './lease.ts'
import type { Performed } from './perform.ts'

const SUMMARY_CHARACTERS = 500

interface Transaction {
  rows: Rows
  prepare: Prepare
}

/**
 * Ends the run of a lease, in one transaction with what `makeEnd` writes. A run that is being cancelled ends CANCELLED
 * without a call of `makeEnd`. Does nothing when the lease has ended. Without `makeEnd` it only ends a run that is being
 * cancelled.
 */
export async function settleRun(
  { db, platform }: { db: Database; platform: Platform },
  lease: Lease,
  makeEnd?: (transaction: Transaction) => Promise<RunEnd>,
): Promise<void> {
  await db.write(async (rows, prepare) => {
    const state = await leasedState(prepare, lease)
    if (state === 'AGENT_RUN_STATE_CANCELLING')
      await endRun(prepare, platform, lease.runId, { state: 'AGENT_RUN_STATE_CANCELLED' })
    if (state !== 'AGENT_RUN_STATE_RUNNING' || makeEnd === undefined) return
    await endRun(prepare, platform, lease.runId, await makeEnd({ rows, prepare }))
  })
}

/**
 * The end of a run whose type returned: runs `commit` if there is one. Throws `OUTPUT_TOO_LARGE`, and an unexpected error
 * for an output that does not conform to the type's schema.
 */
export async function toSucceeded(
  { type, end, findingEvent }: Performed,
  { rows, prepare }: Transaction,
): Promise<RunEnd> {
  const events: NewEvent[] = []
  const add = (event: NewEvent | undefined) => {
    if (event !== undefined) events.push(event)
  }
  const result =
    'commit' in end
      ? await end.commit({
          rows,
          prepare,
          action: (message, data) => add({ kind: 'ACTION', message, data }),
          finding: (message, data) => add(findingEvent(message, data)),
        })
      : end
  type.output.parse(result.output)
  const output = JSON.stringify(result.output)
  if (Buffer.byteLength(output) > OUTPUT_BYTES) throw tooLarge()
  return {
    state: 'AGENT_RUN_STATE_SUCCEEDED',
    summary: replaceUnstorable(cutWithEllipsis(result.summary, SUMMARY_CHARACTERS)),
    output,
    branchId: result.branchId ?? '',
    truncationSignals: result.truncationSignals ?? [],
    events,
  }
}

function tooLarge(): ServiceError {
  const message = 'The output is larger than 512 KiB. Start the run with an input that selects less.'
  return new ServiceError('failed_precondition', message, { reason: 'OUTPUT_TOO_LARGE' })
}

/** The end of a run that threw, with the reason and the message of a `ServiceError`; other errors are not shown. */
export function toFailed(thrown: unknown): Extract<RunEnd, { code: string }> {
  const state = 'AGENT_RUN_STATE_FAILED'
  if (thrown instanceof ServiceError && thrown.code !== 'internal')
    return { state, code: thrown.reason, message: thrown.message }
  return { state, code: 'INTERNAL', message: 'The agent failed because of a bug in the service; see its log.' }
}

/** The end of a run that lasted longer than its config allows. */
export function toTimedOut(timeoutSeconds: number): RunEnd {
  const message = `The run lasted longer than the ${String(timeoutSeconds)} s that its config allows.`
  return { state: 'AGENT_RUN_STATE_TIMED_OUT', code: 'TIMED_OUT', message }
}
