import type * as z from 'zod'
import { AgentRunState, type AgentConfig } from '../../../contract/agents.ts'
import { timestamp, timestampOrNull } from '../../shared/times.ts'
import { chunks } from '../../sql/chunks.ts'
import type { Rows } from '../../sql/database.ts'
import { readJson } from '../../sql/json.ts'
import { StoredActor } from '../../workspace/actor.ts'
import { StoredObject } from './input.ts'
import { configEtag, type StoredConfig } from './store.ts'

type LastRun = z.input<typeof AgentConfig>['last_run']

/** Converts rows to the contract's configs, in the same order, with their newest runs. */
export async function viewConfigs(
  rows: Rows,
  configs: readonly StoredConfig[],
): Promise<z.input<typeof AgentConfig>[]> {
  const lastRuns = await readLastRuns(
    rows,
    configs.map(({ id }) => id),
  )
  return configs.map((row) => ({
    id: row.id,
    product_id: String(row.product_id),
    agent_type_id: row.agent_type_id,
    name: row.name,
    enabled: row.enabled === 1,
    input: readJson(StoredObject, row.input),
    triggers: [],
    allow_concurrent: row.allow_concurrent === 1,
    timeout_seconds: row.timeout_seconds,
    last_run: lastRuns.get(row.id) ?? null,
    created_by: readJson(StoredActor, row.created_by),
    created_at: timestamp(row.created_at),
    etag: configEtag(row),
  }))
}

async function readLastRuns(rows: Rows, configIds: readonly string[]): Promise<Map<string, LastRun>> {
  const lastRuns = new Map<string, LastRun>()
  for (const chunk of chunks(configIds)) {
    const newest = rows
      .selectFrom('agent_run')
      .select((eb) => eb.fn.max('seq').as('seq'))
      .where('agent_config_id', 'in', chunk)
      .groupBy('agent_config_id')
    const found = await rows
      .selectFrom('agent_run')
      .select(['id', 'agent_config_id', 'state', 'finished_at'])
      .where('seq', 'in', newest)
      .execute()
    for (const { id, agent_config_id: configId, state, finished_at: finishedAt } of found) {
      lastRuns.set(configId, { id, state: AgentRunState.parse(state), finished_at: timestampOrNull(finishedAt) })
    }
  }
  return lastRuns
}
