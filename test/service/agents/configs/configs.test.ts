import { expect, test } from 'vitest'
import type { App, Reply } from '../../../app.ts'
import { existingIdOf, reasonOf, tokenHeaders, type Failure } from '../../people.ts'
import { configure, createConfig, probe, startAgentApp, startRun, type Config, type Type } from '../probes.ts'

interface Types {
  agent_types: Type[]
  next_page_token: string
  pagination: { total_size: number }
}
interface Configs {
  agent_configs: Config[]
  next_page_token: string
  pagination: { total_size: number }
}

const types = async (app: App, query = '') => (await app.request<Types>('GET', `/v1/agent-types${query}`)).body
const configs = async (app: App, query = '') =>
  (await app.request<Configs>('GET', `/v1/products/${app.productId}/agent-configs${query}`)).body
const violations = (reply: Reply) => (reply.body as Failure).details.flatMap((one) => one.field_violations ?? [])

test('an agent type says what it takes and gives as JSON Schema, and which scopes a run needs', async () => {
  await using app = await startAgentApp({
    agentTypes: [probe(), probe(undefined, { id: 'writer', writes: ['branches'] })],
  })
  const [first, second] = (await types(app)).agent_types
  expect(first).toMatchObject({
    id: 'probe',
    name: 'probe',
    title: 'Probe',
    deterministic: true,
    writes: [],
    default_input: { limit: 10, names: [] },
    required_scopes: ['agents:run'],
  })
  expect(first?.input_schema).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    additionalProperties: false,
    properties: { limit: { type: 'integer', default: 10, minimum: 1, maximum: 50 } },
  })
  expect(first?.output_schema).toMatchObject({ required: ['found'] })
  expect(second).toMatchObject({ id: 'writer', required_scopes: ['agents:run', 'write'] })
})

test('agent types are listed in pages', async () => {
  await using app = await startAgentApp({ agentTypes: ['a', 'b', 'c'].map((id) => probe(undefined, { id })) })
  const first = await types(app, '?page_size=2')
  expect(first.agent_types.map(({ id }) => id)).toEqual(['a', 'b'])
  expect(first.pagination.total_size).toBe(3)
  const second = await types(app, `?page_size=2&page_token=${first.next_page_token}`)
  expect(second.agent_types.map(({ id }) => id)).toEqual(['c'])
  expect(second.next_page_token).toBe('')
})

test('a config keeps its input as it was given, and is read back equal', async () => {
  await using app = await startAgentApp()
  const { status, body } = await createConfig(app, { input: { limit: 5 } })
  expect(status).toBe(200)
  expect(body.agent_config).toMatchObject({
    agent_type_id: 'probe',
    name: 'Probe',
    enabled: true,
    input: { limit: 5 },
    triggers: [],
    allow_concurrent: false,
    timeout_seconds: 300,
    last_run: null,
  })
  expect((await app.request('GET', `/v1/agent-configs/${body.agent_config.id}`)).body).toEqual(body)
  expect((await configs(app)).agent_configs).toEqual([body.agent_config])
})

test('a config without a name gets the title of its type, with a number where that is taken', async () => {
  await using app = await startAgentApp()
  for (let count = 0; count < 3; count += 1) await createConfig(app)
  expect((await configs(app)).agent_configs.map(({ name }) => name)).toEqual(['Probe', 'Probe 2', 'Probe 3'])
})

test('a name that is taken is refused with the id of the config that has it', async () => {
  await using app = await startAgentApp()
  const id = await configure(app, { name: 'Nightly' })
  const reply = await createConfig(app, { name: ' Nightly ' })
  expect([reply.status, reasonOf(reply), existingIdOf(reply)]).toEqual([409, 'CONFIG_EXISTS', id])
})

test('an unknown agent type is not found, and the message lists the known ones', async () => {
  await using app = await startAgentApp()
  const reply = await createConfig(app, { agent_type_id: 'oracle' })
  expect([reply.status, reasonOf(reply)]).toEqual([404, 'AGENT_TYPE_NOT_FOUND'])
  expect((reply.body as unknown as Failure).message).toBe('no agent type oracle; use one of probe')
})

test('an input that breaks the schema is refused, with a violation for each member', async () => {
  await using app = await startAgentApp()
  const input = { limit: 0, names: ['ok', 7], scope: {}, [`x${'y'.repeat(100)}`]: 1 }
  const reply = await createConfig(app, { input })
  expect([reply.status, reasonOf(reply)]).toEqual([400, 'INPUT_SCHEMA'])
  expect(violations(reply)).toEqual([
    { field: 'input.limit', description: 'must be at least 1' },
    { field: 'input.names.1', description: 'must be a string' },
    { field: 'input.scope.path', description: 'is required' },
    { field: `input.x${'y'.repeat(59)}`, description: 'is not known' },
  ])
  expect((await configs(app)).agent_configs).toEqual([])
})

test('an answer lists at most 50 violations', async () => {
  await using app = await startAgentApp()
  const input = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`member${String(index)}`, index]))
  expect(violations(await createConfig(app, { input }))).toHaveLength(50)
})

test('members that JavaScript treats specially are unknown members like any other', async () => {
  await using app = await startAgentApp()
  const path = `/v1/products/${app.productId}/agent-configs`
  for (const name of ['constructor', 'toString', 'hasOwnProperty']) {
    const reply = await app.request('POST', path, `{"agent_type_id":"probe","input":{"${name}":{"limit":1}}}`)
    expect(violations(reply)).toEqual([{ field: `input.${name}`, description: 'is not known' }])
  }
})

test('a dry run answers as a creation does, and creates nothing', async () => {
  await using app = await startAgentApp()
  const reply = await createConfig(app, { validate_only: true })
  expect(reply.body.agent_config.name).toBe('Probe')
  expect((await configs(app)).agent_configs).toEqual([])
})

test('a repeated request id creates one config', async () => {
  await using app = await startAgentApp()
  const replies = [await createConfig(app, { request_id: 'r1' }), await createConfig(app, { request_id: 'r1' })]
  expect(replies[1]?.body).toEqual(replies[0]?.body)
  expect((await configs(app)).agent_configs).toHaveLength(1)
})

test('configs are listed in pages, oldest first', async () => {
  await using app = await startAgentApp()
  for (const name of ['c', 'a', 'b']) await createConfig(app, { name })
  const first = await configs(app, '?page_size=2')
  const second = await configs(app, `?page_size=2&page_token=${first.next_page_token}`)
  expect([first, second].map((page) => page.agent_configs.map(({ name }) => name))).toEqual([['c', 'a'], ['b']])
  expect(second.pagination.total_size).toBe(3)
})

test('a product has at most 200 configs', async () => {
  await using app = await startAgentApp()
  const id = await configure(app)
  await app.db.write(async (rows) => {
    const row = await rows.selectFrom('agent_config').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const { seq: _seq, ...facts } = row
    const more = Array.from({ length: 199 }, (_, index) => ({
      ...facts,
      id: `c${String(index)}`,
      name: `c${String(index)}`,
    }))
    await rows.insertInto('agent_config').values(more).execute()
  })
  const reply = await createConfig(app)
  expect([reply.status, reasonOf(reply)]).toEqual([400, 'TOO_MANY_CONFIGS'])
})

test("a stranger's config is not found, like one that does not exist", async () => {
  await using app = await startAgentApp()
  const id = await configure(app)
  const headers = await tokenHeaders(app, { stranger: true, scopes: ['write', 'agents:run'] })
  for (const path of [`/v1/agent-configs/${id}`, '/v1/agent-configs/nothing']) {
    const reply = await app.request('GET', path, undefined, headers)
    expect([reply.status, reasonOf(reply)]).toEqual([404, 'AGENT_CONFIG_NOT_FOUND'])
  }
  expect((await app.request('DELETE', `/v1/agent-configs/${id}`, undefined, headers)).status).toBe(404)
  expect((await startRun(app, id, {}, headers)).status).toBe(404)
  expect((await createConfig(app, {}, headers)).status).toBe(404)
  expect((await app.request('GET', `/v1/agent-configs/${id}`)).status).toBe(200)
})

test('a deleted config is gone; another etag than its own prevents the deletion', async () => {
  await using app = await startAgentApp()
  const id = await configure(app)
  const wrong = await app.request('DELETE', `/v1/agent-configs/${id}?etag=old`)
  expect([wrong.status, reasonOf(wrong)]).toEqual([409, 'ETAG_MISMATCH'])
  const { etag } = (await configs(app)).agent_configs[0]!
  expect(await app.request('DELETE', `/v1/agent-configs/${id}?etag=${etag}`)).toMatchObject({ status: 200, body: {} })
  expect((await app.request('GET', `/v1/agent-configs/${id}`)).status).toBe(404)
  expect((await configs(app)).agent_configs).toEqual([])
})

test('creating and deleting a config are in the audit trail', async () => {
  await using app = await startAgentApp()
  const id = await configure(app)
  await app.request('DELETE', `/v1/agent-configs/${id}`)
  const traces = await app.db.read
    .selectFrom('audit')
    .select(['verb', 'resource_type'])
    .where('resource_id', '=', id)
    .execute()
  expect(traces).toEqual([
    { verb: 'create', resource_type: 'agent_config' },
    { verb: 'delete', resource_type: 'agent_config' },
  ])
})
