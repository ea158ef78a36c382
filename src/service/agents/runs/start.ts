import { ServiceError } from '../../../errors.ts'
import type { Principal, Writing } from '../../shared/context.ts'
import type { Rows } from '../../sql/database.ts'
import { readJson } from '../../sql/json.ts'
import { requireScope } from '../../workspace/access.ts'
import { audit } from '../../workspace/audit.ts'
import { parseInput, StoredObject } from '../configs/input.ts'
import type { StoredConfig } from '../configs/store.ts'
import type { AgentDefinition } from '../define.ts'
import { storePrincipal } from './principal.ts'
import { activeStates } from './states.ts'
import type { StoredRun } from './store.ts'

const MOST_QUEUED = 50

/**
 * Queues a run of a config. The members of `input` replace those of the config's input. Throws `CONFIG_DISABLED`,
 * `INPUT_SCHEMA`, `RUN_ALREADY_ACTIVE`, `TOO_MANY_RUNS`, and `SCOPE_MISSING` for a type that writes.
 */
export async function startRun(
  rows: Rows,
  call: Writing & { principal: Principal },
  { config, type, input }: { config: StoredConfig; type: AgentDefinition; input: Record<string, unknown> | undefined },
): Promise<StoredRun> {
  if (type.writes.length > 0) requireScope(call.principal, 'write')
  if (config.enabled === 0) throw disabled()
  const merged = parseInput(type, { ...readJson(StoredObject, config.input), ...input })
  if (config.allow_concurrent === 0) await checkIdle(rows, config.id)
  await checkQueue(rows, config.product_id)
  const run = await rows
    .insertInto('agent_run')
    .values({
      id: call.newId(),
      product_id: config.product_id,
      agent_config_id: config.id,
      agent_type_id: type.id,
      input: JSON.stringify(merged),
      timeout_seconds: config.timeout_seconds,
      started_by: JSON.stringify(call.actor),
      principal: storePrincipal(call.principal),
      created_at: call.now(),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await audit(rows, call, { verb: 'create', resourceType: 'agent_run', resourceId: run.id, after: run })
  return run
}

async function checkIdle(rows: Rows, configId: string): Promise<void> {
  const active = await rows
    .selectFrom('agent_run')
    .select('id')
    .where('agent_config_id', '=', configId)
    .where('state', 'in', activeStates)
    .executeTakeFirst()
  if (active === undefined) return
  throw new ServiceError('failed_precondition', 'a run of this config is active; follow that one, or cancel it', {
    reason: 'RUN_ALREADY_ACTIVE',
    metadata: { run_id: active.id },
  })
}

async function checkQueue(rows: Rows, productId: number): Promise<void> {
  const { queued } = await rows
    .selectFrom('agent_run')
    .select((eb) => eb.fn.countAll<number>().as('queued'))
    .where('product_id', '=', productId)
    .where('state', '=', 'AGENT_RUN_STATE_QUEUED')
    .executeTakeFirstOrThrow()
  if (queued < MOST_QUEUED) return
  throw new ServiceError(
    'failed_precondition',
    `${String(MOST_QUEUED)} runs of the product are queued; wait until some have ended, or cancel them`,
    { reason: 'TOO_MANY_RUNS' },
  )
}

function disabled(): ServiceError {
  const message = 'the agent config is disabled; use another one, or create one that is enabled'
  return new ServiceError('failed_precondition', message, { reason: 'CONFIG_DISABLED' })
}
