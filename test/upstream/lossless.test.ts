import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Connected } from '../mcp/clients.ts'
import { shown } from '../tools/shop.ts'
import { allAtOnce, lossless } from './reshapings/lossless.ts'
import { reshaped } from './reshaped.ts'
import { openSmallProduct, tellingCalls, type SmallProduct, type ToolCall } from './small-product.ts'

let product: SmallProduct
let plain: readonly { call: ToolCall; expected: unknown }[]
beforeAll(async () => {
  product = await openSmallProduct()
  await using agent = await product.connect(product.send)
  const calls = [...(await tellingCalls(product)), ...refused]
  plain = await Promise.all(calls.map(async (call) => ({ call, expected: await result(agent, call) })))
})
afterAll(() => product[Symbol.asyncDispose]())

/** Differences that a result has to show. */
const shownBy: Readonly<Record<string, string>> = { numericToken: "next_cursor is the deployment's own token" }

const alone = Object.keys(lossless).map((name) => [name, [name]] as const)
const together = [['all at once', allAtOnce] as const]

test.each([...alone, ...together].filter(([name]) => shownBy[name] === undefined))(
  'the tools give the same results where a deployment differs by %s',
  async (_, names) => {
    await using agent = await product.connect(reshaped(product.send, ...names), names)
    const found = await Promise.all(plain.map(async ({ call }) => ({ call, expected: await result(agent, call) })))
    for (const [n, one] of found.entries()) expect(one).toEqual(plain[n])
  },
)

async function result(agent: Connected, { tool, args }: ToolCall): Promise<unknown> {
  return shown(await agent.call(tool, args))
}

/** Calls that the service refuses. */
const refused: readonly ToolCall[] = [
  { tool: 'get_error_issue', args: { issue: '00000000-0000-7000-8000-999999999999' } },
  { tool: 'get_requirement', args: { requirement: 'REQ-99' } },
  { tool: 'list_tests', args: { cursor: 'nowhere' } },
]
