import type { Selectable } from 'kysely'
import type * as z from 'zod'
import { AgentRunEvent, AgentRunEventType } from '../../../contract/agents.ts'
import { cutPage, type Page } from '../../shared/paging.ts'
import { timestamp } from '../../shared/times.ts'
import { countRows } from '../../sql/count-rows.ts'
import type { Rows } from '../../sql/database.ts'
import { readJson } from '../../sql/json.ts'
import type { AgentRunEventRow } from '../../sql/schema-agents.ts'
import { StoredObject } from '../configs/input.ts'

type StoredRunEvent = Selectable<AgentRunEventRow>

interface EventQuery {
  runId: string
  afterSequence: number
  /** Only events of these types; empty for all. */
  types: readonly string[]
  page: Page
}

/** One page of the events of a run after a number, in order. */
export async function listRunEvents(rows: Rows, { runId, afterSequence, types, page }: EventQuery) {
  const all = eventsAfter(rows, runId, afterSequence).$if(types.length > 0, (some) => some.where('type', 'in', types))
  const finding = all
    .selectAll()
    .$if(page.after !== undefined, (paged) => paged.where('sequence', '>', Number(page.after?.sortValue)))
    .orderBy('sequence')
    .limit(page.size + 1)
    .execute()
  const [total, found] = await Promise.all([countRows(all), finding])
  const { rows: kept, paging } = cutPage(page, found, total, ({ sequence, id }) => ({ sortValue: sequence, id }))
  return { events: kept.map(viewRunEvent), ...paging }
}

/** At most `limit` events of a run after a number, in order. */
export function readRunEvents(
  rows: Rows,
  { runId, afterSequence, limit }: { runId: string; afterSequence: number; limit: number },
): Promise<StoredRunEvent[]> {
  return eventsAfter(rows, runId, afterSequence).selectAll().orderBy('sequence').limit(limit).execute()
}

/** The number of the first stored event of a run; 0 without one. */
export async function firstSequence(rows: Rows, runId: string): Promise<number> {
  const [first] = await readRunEvents(rows, { runId, afterSequence: 0, limit: 1 })
  return first?.sequence ?? 0
}

function eventsAfter(rows: Rows, runId: string, sequence: number) {
  return rows.selectFrom('agent_run_event').where('run_id', '=', runId).where('sequence', '>', sequence)
}

/** The event of the contract for a row. */
export function viewRunEvent(row: StoredRunEvent): z.input<typeof AgentRunEvent> {
  return {
    id: row.id,
    run_id: row.run_id,
    sequence: row.sequence,
    type: AgentRunEventType.parse(row.type),
    level: AgentRunEvent.shape.level.parse(row.level),
    message: row.message,
    data: readJson(StoredObject, row.data),
    created_at: timestamp(row.created_at),
  }
}
