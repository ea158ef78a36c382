import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApi } from '../../../src/client/client.ts'
import type { Tool } from '../../../src/mcp/define/define.ts'
import type { NextAction } from '../../../src/mcp/result/next-action.ts'
import { asksForMore } from '../../../src/mcp/result/more-call.ts'
import { words } from '../../../src/mcp/define/parameters.ts'
import { repair } from '../../../src/mcp/call/repair/index.ts'
import { surface } from '../../../src/surface.ts'
import { origin, type App } from '../../app.ts'
import { startSampleApp } from '../../sample-app.ts'
import { examples } from '../../tools/examples.ts'
import { rememberedReads } from '../../upstream/remembered.ts'
import { connect, type Called, type Connected } from '../clients.ts'
import { sampleThings, callVariants, type Arguments, type Known } from './calls.ts'
import { differingCells } from './cells.ts'
import { onlyIn, overBudget } from './forms.ts'
import { machineWithBuild } from './machine.ts'

let app: App
let agent: Connected
let things: Known
let machine: ReturnType<typeof machineWithBuild>
beforeAll(async () => {
  app = await startSampleApp()
  machine = machineWithBuild(app.service.direct)
  // The calls ask for the same things again and again, and most of them change nothing.
  const answers = rememberedReads(app.service.direct, { until: 'a write' })
  const api = createApi({ send: answers, baseUrl: origin, token: app.token })
  agent = await connect(api, { options: { toolsets: ['all'], local: true }, ...machine })
  things = await sampleThings(app)
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await app.close()
  machine[Symbol.dispose]()
})

type Members = { [name: string]: unknown }

interface Result {
  args: Arguments
  called: Called
}

const results = new Map<string, Promise<Result[]>>()

/** The results of all variants of a tool's calls that are no errors; more than half of them must be. */
function readOnce(name: string): Promise<Result[]> {
  const known = results.get(name) ?? readResults(name)
  results.set(name, known)
  return known
}

async function readResults(name: string): Promise<Result[]> {
  const tool = findTool(name)
  const found: Result[] = []
  const variants = callVariants(tool, things)
  for (const args of variants) {
    const called = await agent.call(name, args)
    if (called.isError) expect(called.text.length).toBeLessThanOrEqual(600)
    else found.push({ args, called })
  }
  expect(found.length).toBeGreaterThan(variants.length / 2)
  return found
}

function findTool(name: string) {
  const tool = surface.tools.find((one) => one.name === name)
  if (tool === undefined) throw new Error(`no tool ${name}`)
  return tool
}

/** Decisions need a person: their own tests answer the forms. Here they only have to ask. */
const names = surface.tools.filter(({ effect }) => effect !== 'decide').map(({ name }) => name)
const decisions = surface.tools.filter(({ effect }) => effect === 'decide')
const nextActions = ({ structured }: Called) => ((structured as Members)['next_actions'] ?? []) as NextAction[]

describe.each(names)('%s', (name) => {
  test('says the same in both forms, each within its budget', async () => {
    for (const { args, called } of await readOnce(name)) {
      const over = overBudget(called.text, called.structured, asksForMore(findTool(name).input, args))
      const cells = differingCells(called.text, called.structured)
      const found = { args, over, cells, ...onlyIn(called.text, called.structured) }
      expect(found).toEqual({ args, over: [], cells: [], text: [], structured: [] })
    }
  })

  test('proposes only calls that a tool takes as they are', async () => {
    for (const { called } of await readOnce(name)) {
      const next = nextActions(called)
      expect(next.length).toBeLessThanOrEqual(3)
      for (const action of next) {
        expect(called.text).toContain(`- ${action.tool} ${JSON.stringify(action.args)} (${action.why})`)
        expect(strictProblems(action)).toEqual([])
      }
    }
  })

  test('gives ids that the tools they are for take', async () => {
    const tried = new Set<string>()
    for (const { called } of await readOnce(name)) {
      for (const call of callsWithIds(called)) {
        const key = JSON.stringify(call)
        if (tried.has(key) || tried.size >= 150) continue
        tried.add(key)
        const { isError, text } = await agent.call(call.tool, preview(call))
        expect({ call, isError, text: isError ? text : '' }).toEqual({ call, isError: false, text: '' })
      }
    }
  })
})

test.each(decisions)('$name writes nothing without a person', async ({ name }) => {
  const product_id = app.productId
  const before = await app.api.getGate({ product_id })
  for (const args of callVariants(findTool(name), things)) expect((await agent.call(name, args)).isError).toBe(true)
  expect((await app.api.getGate({ product_id })).verdict).toEqual(before.verdict)
})

test('following the proposals, always the first that was not taken yet, comes to an end', async () => {
  for (const start of names) {
    const [{ called } = { called: undefined }] = await readOnce(start)
    const seen = new Set<string>()
    let at = called
    while (at !== undefined) {
      const action = nextActions(at).find(
        (one) => names.includes(one.tool) && !seen.has(JSON.stringify([one.tool, one.args])),
      )
      if (action === undefined) break
      seen.add(JSON.stringify([action.tool, action.args]))
      expect(seen.size).toBeLessThan(60)
      const next = await agent.call(action.tool, { ...action.args })
      // A person confirms it: what else was proposed is followed.
      if (next.text.includes('(confirmation_required')) continue
      expect({ action, error: next.isError ? next.text : '' }).toEqual({ action, error: '' })
      at = next
    }
  }
})

/** What only the user can say of a decision that is proposed. */
const saidByUser: Readonly<Record<string, Arguments>> = {
  accept_gate_risk: { reason: 'The user knows and fixes it next week.' },
}

/** What the published, strict schema has against the arguments, or what would have to be repaired. */
function strictProblems({ tool: name, args: proposed }: NextAction): unknown[] {
  const tool = findTool(name)
  const args = { ...saidByUser[name], ...proposed }
  const { notes } = repair(tool.input, args, { writes: tool.effect !== 'read', pinned: false })
  return [...notes, ...(tool.input.safeParse(args).error?.issues ?? [])]
}

interface Call {
  tool: string
  args: Arguments
}

/**
 * Calls that use each id of a result: in the places where a proposal has one of the same list, and as the parameters of
 * other tools that are named after the list (`releases` as `release`).
 */
function callsWithIds({ structured }: Called): Call[] {
  const { data = {} } = structured as { data?: Members }
  return Object.entries(data).flatMap(([list, value]) => {
    // Items of a verdict are of several kinds.
    const ids = list === 'items' ? [] : findIds(value)
    const actions = nextActions({ structured } as Called).filter(({ tool }) => names.includes(tool))
    const proposed = actions.flatMap(({ tool, args }) =>
      Object.entries(args).flatMap(([parameter, given]) =>
        ids.includes(String(given)) ? ids.map((id) => ({ tool, args: { ...args, [parameter]: id } })) : [],
      ),
    )
    const parameter = list.replace(/s$/, '')
    // Most releases and environments have no verdict of their own.
    const readers = surface.tools.filter(({ effect, name }) => effect === 'read' && name !== 'get_quality_gate')
    const takers = readers.filter(({ input }) => parameter in input.shape)
    const named = words.get(parameter)?.thing === undefined ? [] : takers
    return [
      ...proposed,
      ...named.flatMap((tool) =>
        ids.map((id) => ({ tool: tool.name, args: { ...leastBeside(tool, parameter), [parameter]: id } })),
      ),
    ]
  })
}

/** The narrowest call, without the parameters that cannot be passed together with this one. */
function leastBeside(tool: Tool, parameter: string): Arguments {
  const { oneOf = [] } = examples.get(tool.name) ?? {}
  const least = Object.entries(callVariants(tool, things)[0] ?? {})
  return Object.fromEntries(least.filter(([name]) => !(oneOf.includes(parameter) && oneOf.includes(name))))
}

/** The ids of a list of objects, as objects or as columns and rows, and of a single object. */
function findIds(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(findIds)
  if (typeof value !== 'object' || value === null) return []
  const { columns, rows, id } = value as { columns?: string[]; rows?: string[][]; id?: string }
  if (columns !== undefined && rows !== undefined) {
    // The id is the first column.
    return columns[0] === 'id' ? rows.map(([first = '']) => first) : []
  }
  return id === undefined ? [] : [id]
}

function preview({ tool, args }: Call): Arguments {
  return 'dry_run' in findTool(tool).input.shape ? { ...args, dry_run: true } : args
}
