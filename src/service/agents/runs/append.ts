import type * as z from 'zod'
import { formatTruncationNote } from '../../../contract/base/truncation-note.ts'
import type { AgentRunEvent } from '../../../contract/agents.ts'
import { cut, replaceUnstorable } from '../../../lib/text.ts'
import type { Platform } from '../../shared/context.ts'
import type { Prepare } from '../../sql/database.ts'
import type { EventData } from '../define.ts'

type Level = z.input<typeof AgentRunEvent>['level']

const levels = {
  STARTED: 'info',
  PROGRESS: 'debug',
  LOG: 'info',
  FINDING: 'info',
  ACTION: 'info',
  WARNING: 'warning',
  ERROR: 'error',
  CANCEL_REQUESTED: 'info',
  COMPLETED: 'info',
} as const satisfies Record<string, Level>

export interface NewEvent {
  kind: keyof typeof levels
  message: string
  data?: EventData | undefined
}

const MESSAGE_CHARACTERS = 1000
const DATA_BYTES = 16 * 1024

/**
 * Appends events to a run in the transaction of the change that they report, numbered after the run's last one. The caller
 * has checked that the run may be written.
 */
export async function appendEvents(
  prepare: Prepare,
  platform: Platform,
  runId: string,
  events: readonly NewEvent[],
): Promise<void> {
  const run = await prepare(
    `UPDATE agent_run SET last_sequence = last_sequence + ?2, revision = revision + 1 WHERE id = ?1
     RETURNING last_sequence`,
  ).get<{ last_sequence: number }>(runId, events.length)
  if (run === undefined) throw new Error(`no agent run ${runId}`)
  const insert = prepare(
    `INSERT INTO agent_run_event (run_id, sequence, id, type, level, message, data, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const first = run.last_sequence - events.length + 1
  for (const [index, { kind, message, data = {} }] of events.entries()) {
    const type = `AGENT_RUN_EVENT_TYPE_${kind}`
    const text = replaceUnstorable(cut(message, MESSAGE_CHARACTERS))
    const at = platform.now()
    await insert.run(runId, first + index, platform.newId(), type, levels[kind], text, packData(data), at)
  }
}

/** The data as JSON of at most 16 KiB: of larger data the first members that fit, and a note. */
function packData(data: EventData): string {
  const text = JSON.stringify(data)
  const total = Buffer.byteLength(text)
  if (total <= DATA_BYTES) return text
  const kept: Record<string, unknown> = {}
  const noted = (bytes: number) => ({
    ...kept,
    truncation_signals: [formatTruncationNote({ member: 'data', reason: 'max_bytes', kept: bytes, total })],
  })
  let bytes = 0
  for (const [name, value] of Object.entries(data)) {
    kept[name] = value
    const size = Buffer.byteLength(JSON.stringify(noted(total)))
    if (size > DATA_BYTES) delete kept[name]
    else bytes = Buffer.byteLength(JSON.stringify(kept))
  }
  return JSON.stringify(noted(bytes))
}
