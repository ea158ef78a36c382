import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApi } from '../../../src/client/client.ts'
import { createResolver } from '../../../src/mcp/resolve/index.ts'
import { origin, type App } from '../../app.ts'
import { probe, startAgentApp } from '../../service/agents/probes.ts'
import { finishedRun } from '../../tools/agent-runs.ts'
import { reshaped } from '../../upstream/reshaped.ts'
import { refusal } from './refusal.ts'

let app: App
let otherId: string
/** Ids of configs by name; `search` is of the other product. */
const ids: Record<string, string> = {}
/** A run of each of these two. */
const runs: Record<string, string> = {}
beforeAll(async () => {
  app = await startAgentApp({ agentTypes: [probe(), probe(undefined, { id: 'gate_watch', title: 'Watch the gate' })] })
  const { workspaces } = await app.api.listWorkspaces({})
  const workspace = workspaces[0]?.id ?? ''
  otherId = (await app.api.createProduct({ workspace_id: workspace, name: 'Other', key_prefix: 'OTH' })).product.id
  for (const [name, product_id, type] of [
    ['Nightly', app.productId, 'probe'],
    ['Weekly', app.productId, 'probe'],
    ['Gate', app.productId, 'gate_watch'],
    ['search', otherId, 'probe'],
  ] as const) {
    const { agent_config: config } = await app.api.createAgentConfig({ product_id, agent_type_id: type, name })
    ids[name] = config.id
  }
  for (const name of ['Nightly', 'search']) runs[name] = (await finishedRun(app.api, ids[name] ?? '')).id
})
afterAll(() => app.close())

/** Resolves as a call does, pinned to a product or not, behind a deployment with these reshapings. */
function resolver({ pinned, names = [] }: { pinned?: string; names?: string[] } = {}) {
  const send = reshaped(app.service.direct, ...names)
  const api = createApi({ send, baseUrl: origin, token: app.token, retries: 0 })
  return createResolver({ api, pinned, signal: new AbortController().signal })
}

test.each([
  ['Nightly', 'Nightly'],
  ['nightly', 'Nightly'],
  ['gate_watch', 'Gate'],
  ['Gate Watch', 'Gate'],
])('agent config %j is the one named %j', async (given, name) => {
  expect(await resolver().agentConfig(given, app.productId)).toMatchObject({ config: { id: ids[name] } })
})

test('without a product a config tells its own, by its name and by its id', async () => {
  for (const given of ['search', ids['search'] ?? '']) {
    expect(await resolver().agentConfig(given, undefined)).toMatchObject({ product: { id: otherId } })
  }
})

test('an unknown config without a product names a call that lists configs', async () => {
  const text = await refusal(resolver().agentConfig('Night', undefined))
  expect(text).toContain(`next: get_workspace_context {"product":"${app.productId}","include":["agent_configs"]}`)
})

test('a type that several configs have, and a name that is not there, are refused with what is', async () => {
  const ambiguous = await refusal(resolver().agentConfig('probe', app.productId))
  expect(ambiguous).toMatch(/several agent configs match \(ambiguous_name\)[^]*one id: Nightly \(.*Weekly \(/)
  const missing = await refusal(resolver().agentConfig('Night', app.productId))
  expect(missing).toMatch(/agent config not found \(not_found\)[^]*one of Nightly \(/)
})

test('under a pin, a config and a run of another product are missing', async () => {
  const pinned = resolver({ pinned: app.productId })
  expect(await refusal(pinned.agentConfig(ids['search'] ?? '', undefined))).toContain('agent config not found')
  expect(await refusal(pinned.agentRun(runs['search'] ?? '', undefined))).toContain('agent run not found')
  expect(await pinned.agentRun(runs['Nightly'] ?? '', undefined)).toMatchObject({ product: { id: app.productId } })
})

test('a run that does not name its product is of the product whose list has its config', async () => {
  const blind = resolver({ names: ['without:product_id'] })
  expect(await blind.agentRun(runs['search'] ?? '', undefined)).toMatchObject({ product: { id: otherId } })
  const unlisted = resolver({ names: ['without:product_id', 'noRoute:listAgentConfigs'] })
  expect(await refusal(unlisted.agentRun(runs['search'] ?? '', undefined))).toContain('upstream_shape_unknown')
})

test('where configs are not listed, an id is read alone and a name is not found', async () => {
  const unlisted = resolver({ names: ['noRoute:listAgentConfigs'] })
  expect(await unlisted.agentConfig(ids['Nightly'] ?? '', undefined)).toMatchObject({ config: { name: 'Nightly' } })
  expect(await refusal(unlisted.agentConfig('Nightly', undefined))).toContain(
    'this deployment does not offer the list of agent configs',
  )
})
