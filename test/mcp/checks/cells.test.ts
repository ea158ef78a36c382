import fc from 'fast-check'
import { expect, test } from 'vitest'
import { replyText, type Send } from '../../../src/contract/base/wire.ts'
import { isObject } from '../../../src/lib/objects.ts'
import { words } from '../../../src/mcp/define/parameters.ts'
import { surface } from '../../../src/surface.ts'
import { examples } from '../../tools/examples.ts'
import { connect } from '../clients.ts'
import { narrowestCall, widestCall } from './calls.ts'
import { differingCells } from './cells.ts'
import { machineWithBuild } from './machine.ts'
import { fullUpstream, madeUpApi } from './upstream.ts'

/** Enough rows for a structured table, each of whose texts is another. */
const full = fullUpstream({
  flat: 12,
  nested: 12,
  inner: 2,
  deep: 1,
  text: (name, depth) => `${name} ${String(depth)}`,
})
const known = new Map([...words.values()].map(({ thing = '' }) => [thing, 'i0'] as const))

const gaps = fc.record({ seed: fc.nat(), share: fc.constantFrom(0, 5, 20, 50) })

// Decisions need a person, and have no tables.
test.each(surface.tools.filter(({ effect }) => effect !== 'decide'))(
  '$name has the same tables in both forms, whatever members the deployment leaves out',
  async (tool) => {
    using machine = machineWithBuild()
    let gap = { seed: 0, share: 0 }
    const send: Send = (request) => withGaps(full, request, () => gap)
    await using agent = await connect(madeUpApi(send), { options: { toolsets: ['all'], local: true }, ...machine })
    const calls = [narrowestCall(tool, known), widestCall(tool, known)].map((args) => ({
      ...('product' in tool.input.shape && { product: 'i0' }),
      ...args,
      ...examples.get(tool.name)?.elsewhere,
    }))
    let read = 0
    await fc.assert(
      fc.asyncProperty(gaps, fc.constantFrom(...calls), async (one, args) => {
        gap = one
        const { text, structured, isError } = await agent.call(tool.name, args)
        if (isError) return
        read += 1
        expect(differingCells(text, structured)).toEqual([])
      }),
      // Whole answers are always read; what is left out of others may be what a tool needs.
      { numRuns: 12, examples: calls.map((args) => [{ seed: 0, share: 0 }, args]) },
    )
    expect(read).toBeGreaterThanOrEqual(calls.length)
  },
)

interface Gap {
  seed: number
  /** Members left out, per hundred. */
  share: number
}

async function withGaps(send: Send, request: Parameters<Send>[0], gap: () => Gap) {
  const reply = await send(request)
  const answer = JSON.parse(await replyText(reply)) as unknown
  return { ...reply, body: JSON.stringify(withoutSome(answer, '', gap())) }
}

/** Without some members, but for ids and the members of the response itself. */
function withoutSome(value: unknown, path: string, gap: Gap): unknown {
  if (Array.isArray(value)) return value.map((item, at) => withoutSome(item, `${path}/${String(at)}`, gap))
  if (!isObject(value)) return value
  const members = Object.entries(value).filter(
    ([name]) => path === '' || name === 'id' || stays(`${path}.${name}`, gap),
  )
  return Object.fromEntries(members.map(([name, member]) => [name, withoutSome(member, `${path}.${name}`, gap)]))
}

function stays(path: string, { seed, share }: Gap): boolean {
  let hash = seed | 0
  for (let at = 0; at < path.length; at++) hash = Math.imul(hash ^ path.charCodeAt(at), 0x01000193)
  return ((hash ^ (hash >>> 15)) >>> 0) % 100 >= share
}
