import { createApi } from '../../src/client/client.ts'
import type { Send } from '../../src/contract/base/wire.ts'
import { effects } from '../../src/mcp/define/define.ts'
import { surface } from '../../src/surface.ts'
import { origin } from '../app.ts'
import { callVariants, draftBranch, recordFailure, scanOnce, type Arguments, type Known } from '../mcp/checks/calls.ts'
import { machineWithBuild } from '../mcp/checks/machine.ts'
import { connect, type Connected } from '../mcp/clients.ts'
import { openQualityShop } from '../tools/quality-shop.ts'
import { checkoutCrash, type Shop } from '../tools/shop.ts'
import { remembered } from './remembered.ts'
import { baseAddress } from './reshaped.ts'
import { watched } from './watched.ts'

/** One call of a tool. */
export interface ToolCall {
  tool: string
  args: Arguments
}

/** A small product behind a deployment, and what to call there. */
export interface SmallProduct extends AsyncDisposable {
  /** The service, which answers the same request always with the same answer. */
  send: Send
  /** Calls of every tool with every parameter, by names that are there. */
  calls: readonly ToolCall[]
  /** An agent whose tools see the deployment that `send` is; `names` are its reshapings, for the base address. */
  connect(this: void, send: Send, names?: readonly string[]): Promise<Connected>
  /** An agent whose tools see, with each call, the deployment that `current` then is, and know nothing of it yet. */
  connectTo(this: void, current: () => Send): Promise<Connected>
}

/**
 * A product with a little of everything: more issues, requirements and tests than the 5 rows of a small page, an issue with
 * two occurrences, a requirement whose test failed, a source map. Its clock stands still.
 */
export async function openSmallProduct(): Promise<SmallProduct> {
  const shop = await openQualityShop()
  const machine = machineWithBuild(shop.service.direct)
  const known = await fill(shop)
  const writtenOnce = remembered(shop.service.direct, { only: 'writes' })
  const send = remembered(writtenOnce)
  const client = (upstream: Send, names: readonly string[] = []) =>
    createApi({ send: upstream, baseUrl: baseAddress(origin, names), token: shop.token, retries: 0 })
  const facts = { options: { toolsets: ['all'], local: true }, ...machine }
  const product: SmallProduct = {
    send,
    // Decisions need a person: each of their calls gives another confirmation.
    calls: surface.tools
      .filter(({ effect }) => effect !== 'decide')
      .flatMap((tool) => callVariants(tool, known).map((args) => ({ tool: tool.name, args }))),
    connect: (upstream, names) => connect(client(upstream, names), facts),
    connectTo: (current) => connect(() => Promise.resolve(client(current())), facts),
    async [Symbol.asyncDispose]() {
      machine[Symbol.dispose]()
      await shop.close()
    },
  }
  await callEach('upload_source_map', 1, { ...product, send: shop.service.direct })
  await callEach('distill_intent', Infinity, { ...product, send: writtenOnce })
  return product
}

async function fill(shop: Shop): Promise<Known> {
  const { api, productId: product_id } = shop
  const tested = await recordFailure(shop, product_id)
  const { workspaces } = await api.listWorkspaces({})
  await api.createRequirement({ product_id, title: 'A receipt is sent', code_refs: [{ path: 'src/checkout/**' }] })
  await shop.crash(50, checkoutCrash('ann'))
  await shop.crash(40, checkoutCrash('bob'))
  for (const name of ['search', 'stock', 'login', 'rates', 'menu']) await shop.crash(30, crashIn(name))
  const drafted = await draftBranch(shop, product_id)
  const { issues } = await api.listIssues({ product_id })
  const crashed = issues.find(({ times_seen }) => times_seen === 2)
  const { events } = await api.listIssueEvents({ id: crashed?.id ?? '' })
  return new Map([
    ['product', 'My product'],
    ['workspace', workspaces[0]?.id ?? ''],
    ['issue', crashed?.short_id ?? ''],
    ['event', events.at(-1)?.id ?? ''],
    ['environment', 'production'],
    ['release', 'shop@1.4.0'],
    ['component', 'Checkout'],
    ...drafted,
    ...tested,
    ...(await scanOnce(shop, product_id)),
  ])
}

function crashIn(name: string): Record<string, unknown> {
  const frames = [{ function: name, filename: `src/${name}/${name}.ts`, lineno: 7, colno: 3, in_app: true }]
  return { exception: { values: [{ type: 'RangeError', value: `${name} is out of range`, stacktrace: { frames } }] } }
}

/**
 * Makes the first calls of a tool that writes without a preview, before anything is read: later uploads of the same bytes
 * change nothing, and every reader sees the same drafts.
 */
async function callEach(name: string, most: number, { calls, connect: open, send }: SmallProduct): Promise<void> {
  await using agent = await open(send)
  for (const { tool, args } of calls.filter((call) => call.tool === name).slice(0, most)) await agent.call(tool, args)
}

/** The first call of each tool that asks for another set of endpoints, and the last, which asks for everything. */
export async function tellingCalls({ calls, send, connect: open }: SmallProduct): Promise<ToolCall[]> {
  const seen = watched(send)
  await using agent = await open(seen)
  const found = new Map<string, ToolCall>()
  for (const call of calls) {
    seen.log.length = 0
    await agent.call(call.tool, call.args)
    const asked = new Set(seen.log.map(({ method, path }) => `${method} ${path}`))
    const key = JSON.stringify([call.tool, [...asked].sort()])
    if (!found.has(key)) found.set(key, call)
  }
  const widest = new Map(calls.map((call) => [call.tool, call]))
  return [...new Set([...found.values(), ...widest.values()])]
}

/** One write of each tool that can preview it and needs no person, with what it requires. */
export function writingCalls({ calls }: SmallProduct): ToolCall[] {
  const previews = new Map([...calls].reverse().map((call) => [call.tool, call]))
  return [...previews.values()].flatMap(({ tool, args: { dry_run: previewed, ...args } }) =>
    previewed === true && isDone(tool, args) ? [{ tool, args }] : [],
  )
}

/** The run that is known has ended already, and of an agent that may write a person decides. */
const undone = new Set(['cancel_agent_run', 'create_agent_config', 'start_agent_run'])

/** Whether the call does something; what a person decides does not. */
function isDone(name: string, args: Arguments): boolean {
  const tool = surface.tools.find((one) => one.name === name)
  const level = tool && (tool.level?.(args) ?? effects[tool.effect].level)
  return level === 1 && !undone.has(name)
}
