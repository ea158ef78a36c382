import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asksForMore } from '../../../src/mcp/result/more-call.ts'
import { words } from '../../../src/mcp/define/parameters.ts'
import { surface } from '../../../src/surface.ts'
import { connect, type Connected } from '../clients.ts'
import { examples } from '../../tools/examples.ts'
import { narrowestCall, widestCall } from './calls.ts'
import { machineWithBuild } from './machine.ts'
import { differingCells } from './cells.ts'
import { onlyIn, overBudget } from './forms.ts'
import { fullUpstream, madeUpApi } from './upstream.ts'

const filler = (name: string, length: number) => `${name} `.padEnd(length, 'Lorem ipsum 42 dolor/sit.amet ')
const longNames = new Set(['name', 'version', 'environment', 'release', 'title'])

/** 1,000 frames, a message of a megabyte, hundreds of environments, releases and rows. */
const crowd = fullUpstream({
  flat: 300,
  nested: 100,
  inner: 10,
  deep: 1,
  text: (name, depth) => filler(name, name === 'message' && depth === 0 ? 1_000_000 : longNames.has(name) ? 200 : 40),
})
/** Few things, but every text of each is long. */
const chatter = fullUpstream({ flat: 8, nested: 5, inner: 2, deep: 1, text: (name) => filler(name, 5_000) })

const known = new Map([...words.values()].map(({ thing = '' }) => [thing, 'i0'] as const))
// Decisions need a person. The calls between these two, and every parameter alone, are made on the sample in results.test.ts.
const calls = surface.tools
  .filter(({ effect }) => effect !== 'decide')
  .flatMap((tool) =>
    [narrowestCall(tool, known), widestCall(tool, known)].map((args) => ({
      tool,
      args: {
        // Every call names one of the many products.
        ...('product' in tool.input.shape && { product: 'i0' }),
        ...args,
        ...examples.get(tool.name)?.elsewhere,
      },
    })),
  )

interface Structured {
  truncated?: { cut?: string[]; how_to_get_more?: string }
}

describe.each([
  ['with hundreds of everything', crowd],
  ['with texts of 5,000 characters', chatter],
])('a deployment %s', (_, upstream) => {
  const machine = machineWithBuild()
  let agent: Connected
  beforeAll(async () => {
    agent = await connect(madeUpApi(upstream), { options: { toolsets: ['all'], local: true }, ...machine })
  })
  afterAll(async () => {
    await agent[Symbol.asyncDispose]()
    machine[Symbol.dispose]()
  })

  /** The error of the call that a result names for more; nothing when it names none or the call works. */
  async function errorOfMore({ truncated }: Structured): Promise<string> {
    const [, tool = '', json = ''] = /^([a-z_]+) (\{.*\})$/.exec(truncated?.how_to_get_more ?? '') ?? []
    if (tool === '') return ''
    const { isError, text } = await agent.call(tool, JSON.parse(json) as Record<string, unknown>)
    return isError ? text : ''
  }

  test.each(calls)('$tool.name $args stays within its budget in both forms, which say the same', async (call) => {
    const { tool, args } = call
    const { text, structured, isError } = await agent.call(tool.name, args)
    expect(isError ? text : '').toBe('')
    expect(overBudget(text, structured, asksForMore(tool.input, args))).toEqual([])
    expect(onlyIn(text, structured)).toEqual({ text: [], structured: [] })
    expect(differingCells(text, structured)).toEqual([])
    expect(await errorOfMore(structured as Structured)).toBe('')
  })
})
