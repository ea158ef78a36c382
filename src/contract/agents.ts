import * as z from 'zod'
import {
  accept,
  Actor,
  Etag,
  Id,
  IdOrEmpty,
  Key,
  prefixed,
  ProductId,
  RequestId,
  Sentence,
  Timestamp,
  TruncationSignals,
  ValidateOnly,
} from './base/common.ts'
import { endpoint, list, paging, scopes } from './base/endpoint.ts'
import { team, trusted, untrusted } from './base/text.ts'

export const AgentTrigger = prefixed('AGENT_TRIGGER', ['MANUAL', 'SCHEDULE', 'ON_INGEST', 'ON_RELEASE'])
export const AgentRunState = prefixed('AGENT_RUN_STATE', [
  'QUEUED',
  'RUNNING',
  'CANCELLING',
  'SUCCEEDED',
  'FAILED',
  'CANCELLED',
  'TIMED_OUT',
])
export const AgentRunEventType = prefixed('AGENT_RUN_EVENT_TYPE', [
  'STARTED',
  'PROGRESS',
  'LOG',
  'FINDING',
  'ACTION',
  'WARNING',
  'ERROR',
  'CANCEL_REQUESTED',
  'COMPLETED',
])

/** Days that a run can be read after its end (contract §13). */
export const AGENT_RUN_DAYS = 180

const JsonObject = z.record(z.string(), z.unknown())
const BuiltInObject = trusted(z.record(z.string(), z.unknown()))

export const AgentType = z.object({
  id: Key,
  name: Key,
  title: Sentence,
  description: Sentence,
  version: Key,
  deterministic: z.boolean(),
  reads: z.array(Key),
  writes: z.array(Key),
  input_schema: BuiltInObject.describe('JSON Schema 2020-12.'),
  output_schema: BuiltInObject.describe('JSON Schema 2020-12.'),
  default_input: BuiltInObject,
  triggers: z.array(AgentTrigger),
  required_scopes: z.array(z.enum(scopes)),
})

export const AgentConfig = z.object({
  id: Id,
  product_id: ProductId,
  agent_type_id: Key,
  name: team(z.string()),
  enabled: z.boolean(),
  input: team(JsonObject),
  triggers: z.array(AgentTrigger),
  allow_concurrent: z.boolean(),
  timeout_seconds: z.int(),
  last_run: z.object({ id: Id, state: AgentRunState, finished_at: Timestamp.nullable() }).nullable(),
  created_by: Actor,
  created_at: Timestamp,
  etag: Etag,
})

export const AgentRun = z.object({
  id: Id,
  agent_config_id: Id,
  agent_type_id: Key,
  product_id: ProductId,
  state: AgentRunState,
  trigger: AgentTrigger,
  input: team(JsonObject),
  output: untrusted(JsonObject).nullable().describe('Conforms to output_schema of the type; null until done.'),
  summary: untrusted(z.string()),
  progress: z.object({ phase: Key, done: z.int(), total: z.int() }),
  error: z.object({ code: Key, message: untrusted(z.string()) }).nullable(),
  started_by: Actor,
  created_at: Timestamp,
  started_at: Timestamp.nullable(),
  finished_at: Timestamp.nullable(),
  cancel_requested_at: Timestamp.nullable(),
  last_sequence: z.int(),
  branch_id: IdOrEmpty.describe('The quality branch that the run drafted on.'),
  truncation_signals: TruncationSignals,
  etag: Etag,
})

export const AgentRunEvent = z.object({
  id: Id,
  run_id: Id,
  sequence: z.int().describe('From 1, without gaps.'),
  type: AgentRunEventType,
  level: z.enum(['debug', 'info', 'warning', 'error']),
  message: untrusted(z.string()),
  data: untrusted(JsonObject),
  created_at: Timestamp,
})

/** Sent in a stream instead of events that are no longer stored or never existed. */
export const AgentRunResync = z.object({
  after_sequence: z.int().describe('As requested.'),
  first_sequence: z.int().describe('The first event that is still stored; 0 when there is none.'),
  last_sequence: z.int(),
  agent_run: AgentRun,
})

export const listAgentTypes = endpoint({
  method: 'GET',
  path: '/v1/agent-types',
  summary: 'The agent types that a config can use.',
  input: { ...paging },
  returns: { ...list('agent_types', AgentType) },
})

export const listAgentConfigs = endpoint({
  method: 'GET',
  path: '/v1/products/{product_id}/agent-configs',
  summary: 'Agent configs of a product.',
  input: { product_id: ProductId, ...paging },
  returns: { ...list('agent_configs', AgentConfig) },
  fails: ['not_found'],
})

export const getAgentConfig = endpoint({
  method: 'GET',
  path: '/v1/agent-configs/{id}',
  summary: 'One agent config.',
  input: { id: Id },
  returns: { agent_config: AgentConfig },
  fails: ['not_found'],
})

export const createAgentConfig = endpoint({
  method: 'POST',
  path: '/v1/products/{product_id}/agent-configs',
  summary: 'Configure an agent for a product.',
  input: {
    product_id: ProductId,
    agent_type_id: z.string().min(1).max(60),
    name: z.string().trim().min(1).max(120).optional(),
    input: JsonObject.optional().describe('Must conform to input_schema of the type.'),
    enabled: z.boolean().optional(),
    timeout_seconds: z.int().min(1).max(1800).optional().describe('Default 300.'),
    request_id: RequestId.optional(),
    validate_only: ValidateOnly.optional(),
  },
  returns: { agent_config: AgentConfig },
  fails: ['invalid_argument', 'not_found', 'already_exists', 'failed_precondition'],
  reasons: ['CONFIG_EXISTS', 'INPUT_SCHEMA', 'TOO_MANY_CONFIGS'],
})

export const deleteAgentConfig = endpoint({
  method: 'DELETE',
  path: '/v1/agent-configs/{id}',
  summary: 'Delete an agent config; its active runs are cancelled.',
  input: { id: Id, etag: Etag.optional() },
  fails: ['not_found', 'aborted'],
})

export const startAgentRun = endpoint({
  method: 'POST',
  path: '/v1/agent-configs/{agent_config_id}/runs',
  summary: 'Start a run of an agent config.',
  input: {
    agent_config_id: Id,
    input: JsonObject.optional().describe("Merged into the config's input; its members win."),
    request_id: RequestId.optional(),
  },
  returns: { agent_run: AgentRun },
  scope: 'agents:run',
  fails: ['invalid_argument', 'not_found', 'failed_precondition'],
  reasons: ['CONFIG_DISABLED', 'INPUT_SCHEMA', 'RUN_ALREADY_ACTIVE', 'TOO_MANY_RUNS'],
})

export const cancelAgentRun = endpoint({
  method: 'POST',
  path: '/v1/agent-runs/{id}:cancel',
  summary: 'Cancel a run at its next checkpoint; repeating the call has no effect.',
  input: {
    id: Id,
    reason: z.string().max(1000).optional(),
    etag: Etag.optional(),
    request_id: RequestId.optional(),
  },
  returns: { agent_run: AgentRun },
  scope: 'agents:run',
  retry: 'idempotent',
  fails: ['invalid_argument', 'not_found', 'aborted', 'failed_precondition'],
  reasons: ['RUN_FINISHED'],
})

export const getAgentRun = endpoint({
  method: 'GET',
  path: '/v1/agent-runs/{id}',
  summary: 'One agent run.',
  input: { id: Id },
  returns: { agent_run: AgentRun },
  fails: ['not_found'],
})

export const listAgentRuns = endpoint({
  method: 'GET',
  path: '/v1/agent-configs/{agent_config_id}/runs',
  summary: 'Runs of an agent config, newest first.',
  input: { agent_config_id: Id, state: accept(AgentRunState).optional(), ...paging },
  returns: { ...list('agent_runs', AgentRun) },
  fails: ['invalid_argument', 'not_found'],
})

const after = z.int().min(0).optional().describe('Only events with a greater sequence.')

export const listAgentRunEvents = endpoint({
  method: 'GET',
  path: '/v1/agent-runs/{run_id}/events',
  summary: 'Events of a run in order.',
  input: { run_id: Id, after_sequence: after, type: z.array(accept(AgentRunEventType)).optional(), ...paging },
  returns: { ...list('events', AgentRunEvent) },
  fails: ['invalid_argument', 'not_found'],
})

export const streamAgentRunEvents = endpoint({
  method: 'GET',
  path: '/v1/agent-runs/{run_id}/events:stream',
  summary: 'Events of a run as they happen, after a replay; ends with the COMPLETED event.',
  input: {
    run_id: Id,
    after_sequence: after,
    heartbeat: z
      .int()
      .min(1)
      .max(60)
      .optional()
      .describe('Seconds of silence after which an empty line is sent; server-sent events have a comment every 15.'),
  },
  returns: { event: AgentRunEvent.optional(), resync: AgentRunResync.optional() },
  stream: {
    member: 'event',
    number: 'sequence',
    resume: 'after_sequence',
    heartbeat: 'heartbeat',
    last: { member: 'type', value: 'AGENT_RUN_EVENT_TYPE_COMPLETED' },
    eventName: 'run_event',
    resync: { member: 'resync', first: 'first_sequence', last: 'last_sequence' },
  },
  fails: ['invalid_argument', 'not_found'],
  reasons: ['TOO_MANY_STREAMS'],
})
