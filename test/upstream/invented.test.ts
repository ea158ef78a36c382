import { afterAll, beforeAll, expect, test } from 'vitest'
import { contract } from '../../src/contract/index.ts'
import type { Send } from '../../src/contract/base/wire.ts'
import type { Called, Connected } from '../mcp/clients.ts'
import { inventedAbsences, inventedFacts } from './facts.ts'
import { findCall } from './reshaping.ts'
import { lossy } from './reshapings/lossy.ts'
import { reshaped } from './reshaped.ts'
import { openSmallProduct, tellingCalls, writingCalls, type SmallProduct, type ToolCall } from './small-product.ts'
import { watched, type Seen } from './watched.ts'

interface Told {
  call: ToolCall
  result: Called
  answers: readonly Seen[]
}

let product: SmallProduct
let plain: Told[]
beforeAll(async () => {
  product = await openSmallProduct()
  plain = await Promise.all((await tellingCalls(product)).map((call) => told(call)))
})
afterAll(async () => {
  for (const { agent } of await Promise.all(agents.values())) await agent[Symbol.asyncDispose]()
  await product[Symbol.asyncDispose]()
})

interface Reusable {
  agent: Connected
  see(this: void, send: Send): void
}

/** An agent for each call: it is connected once, and knows nothing of the deployment that it sees next. */
const agents = new Map<ToolCall, Promise<Reusable>>()

async function open(): Promise<Reusable> {
  let current = product.send
  const agent = await product.connectTo(() => current)
  return { agent, see: (send) => (current = send) }
}

async function told(call: ToolCall, ...names: string[]): Promise<Told> {
  const reusable = agents.get(call) ?? open()
  agents.set(call, reusable)
  const { agent, see } = await reusable
  const seen = watched(reshaped(product.send, ...names))
  see(seen)
  return { call, result: await agent.call(call.tool, call.args), answers: seen.log }
}

/** Those of the calls that notice the reshaping, one of each tool. */
function noticing(name: string, among: readonly Told[]): Told[] {
  const [kind = '', what = ''] = name.split(':')
  const has = ({ answer }: Seen) => answer.includes(`"${what}":`)
  const notices = ({ answers }: Told) => {
    if (what === '') return true
    if (kind === 'without') return answers.some((seen) => has(seen) && !shared.has(endpointName(seen)))
    if (kind === 'ignores') return answers.some(({ query }) => query.includes(`${what}=`))
    return answers.some((seen) => endpointName(seen) === what)
  }
  const own = [...new Map(among.filter(notices).map((one) => [one.call.tool, one])).values()]
  const isShared = kind === 'without' || shared.has(what)
  const byAll = isShared ? among.filter(({ answers }) => answers.some((seen) => seesShared(seen, kind, what))) : []
  return shared.has(what) ? byAll.slice(-2) : [...new Set([...own, ...byAll.slice(-2)])]
}

/** Every tool asks these for the product, with the same code: two tools show what becomes of it. */
const shared: ReadonlySet<string | undefined> = new Set(['listWorkspaces', 'listProducts'])

function seesShared(seen: Seen, kind: string, what: string): boolean {
  const name = endpointName(seen)
  return shared.has(name) && (kind === 'without' ? seen.answer.includes(`"${what}":`) : name === what)
}

function endpointName({ method, path }: Seen): string | undefined {
  return findCall({ method, url: `http://tracegate.example${path}`, headers: {} })?.name
}

/** One of the ways to lack each endpoint; all of them mean the same. */
function isLeftOut(name: string): boolean {
  const styles = ['noRoute', 'noPage', 'notBuilt', 'notAllowed']
  const [style = '', endpoint = ''] = name.split(':')
  return styles.includes(style) && styles.indexOf(style) !== Object.keys(contract).indexOf(endpoint) % styles.length
}

const names = Object.keys(lossy).filter((name) => !isLeftOut(name))

/** Statements that are so, though no answer says them, by reshaping and statement. */
const accepted: Readonly<Record<string, string>> = {}
const met = new Set<string>()

test('no result says what the deployment does not', { timeout: 240_000 }, async () => {
  const found = await unfoundedIn(plain)
  expect(found).toEqual([])
})

// Second, because it changes the product.
test('no result of a write says what the deployment does not', { timeout: 240_000 }, async () => {
  const writes: Told[] = []
  for (const call of writingCalls(product)) writes.push(await told(call))
  expect(writes.filter(({ result }) => result.isError)).toEqual([])
  const found = await unfoundedIn(writes)
  expect(found).toEqual([])
})

// Last, after both have met them.
test('every accepted statement is still made', () => {
  expect([...met].sort()).toEqual(Object.keys(accepted).sort())
})

/** One reshaping after the other: a call ends after 25 seconds, also where thousands wait for one processor. */
async function unfoundedIn(calls: readonly Told[]): Promise<unknown[]> {
  const found: unknown[] = []
  for (const name of names) found.push(...(await unfounded(name, calls)))
  return found
}

async function unfounded(name: string, among: readonly Told[]): Promise<unknown[]> {
  const found = await Promise.all(
    noticing(name, among).map(async ({ call, result: before }) => {
      const { result, answers } = await told(call, name)
      const invented = [...inventedFacts(result, answers, call.args), ...inventedAbsences(result, answers, before)]
      return invented.map((one) => ({ reshaping: name, call, ...one }))
    }),
  )
  return found.flat().filter(({ what }) => {
    const key = `${name}: ${what}`
    if (accepted[key] === undefined) return true
    met.add(key)
    return false
  })
}
