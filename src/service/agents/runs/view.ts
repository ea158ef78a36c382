import type * as z from 'zod'
import { AgentRunState, AgentTrigger, type AgentRun } from '../../../contract/agents.ts'
import { timestamp, timestampOrNull } from '../../shared/times.ts'
import { readJson, readTexts } from '../../sql/json.ts'
import { StoredActor } from '../../workspace/actor.ts'
import { StoredObject } from '../configs/input.ts'
import { runEtag, type StoredRun } from './store.ts'

/** Converts a row to the contract's run. */
export function viewRun(row: StoredRun): z.input<typeof AgentRun> {
  return {
    id: row.id,
    agent_config_id: row.agent_config_id,
    agent_type_id: row.agent_type_id,
    product_id: String(row.product_id),
    state: AgentRunState.parse(row.state),
    trigger: AgentTrigger.parse(row.run_trigger),
    input: readJson(StoredObject, row.input),
    output: row.output === null ? null : readJson(StoredObject, row.output),
    summary: row.summary,
    progress: { phase: row.progress_phase, done: row.progress_done, total: row.progress_total },
    error: row.error_code === '' ? null : { code: row.error_code, message: row.error_message },
    started_by: readJson(StoredActor, row.started_by),
    created_at: timestamp(row.created_at),
    started_at: timestampOrNull(row.started_at),
    finished_at: timestampOrNull(row.finished_at),
    cancel_requested_at: timestampOrNull(row.cancel_requested_at),
    last_sequence: row.last_sequence,
    branch_id: row.branch_id,
    truncation_signals: readTexts(row.truncation_signals),
    etag: runEtag(row),
  }
}
