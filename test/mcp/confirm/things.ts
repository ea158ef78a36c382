import { createHash } from 'node:crypto'
import * as z from 'zod'
import { ServiceError } from '../../../src/errors.ts'
import type { Confirmed, Level, Tool, Way } from '../../../src/mcp/define/define.ts'
import * as parameters from '../../../src/mcp/define/parameters.ts'
import type { Surface } from '../../../src/mcp/surface/listing.ts'

/** A thing that only a person may change: its text, and the changes that were made, with how they were confirmed. */
export interface Thing {
  text: string
  /** What is asked, where it is not the usual. */
  asks?: string | undefined
  /** Why nobody is to be asked, once there is a reason. */
  lacking?: string | undefined
  /** How the write fails. */
  refused?: ServiceError | undefined
  written: { reason: string; confirmed: Confirmed | undefined }[]
}

const input = z.strictObject({
  thing: z.string().describe('Name.'),
  reason: z.string().max(1000).describe('Why.'),
  dry_run: parameters.DryRun,
  confirmation: parameters.Confirmation,
})

function defineThingTool(name: string, level: Level, thing: Thing, ways?: readonly Way[]): Tool<typeof input> {
  return {
    name,
    toolset: 'default',
    effect: 'update',
    level: () => level,
    ...(ways && { ways }),
    title: 'Change a thing',
    description: 'Change a thing that only a person may change.',
    input,
    output: z.object({ text: z.string() }),
    lacks() {
      const { lacking, text } = thing
      return Promise.resolve(lacking === undefined ? undefined : { answer: lacking, data: { text } })
    },
    confirm({ thing: named }) {
      if (named !== 'REQ-12') throw new ServiceError('not_found', 'no such thing')
      return Promise.resolve({
        asks: thing.asks ?? 'Clear REQ-12 for good?',
        product: { id: '1', name: 'Shop' },
        facts: [{ label: 'text', value: thing.text }],
        key: 'REQ-12',
        undo: '',
        state: createHash('sha256').update(thing.text).digest('hex'),
      })
    },
    run({ reason, dry_run: dryRun }, { confirmed }) {
      if (thing.refused !== undefined) throw thing.refused
      if (!dryRun) thing.written.push({ reason, confirmed })
      return Promise.resolve({ answer: dryRun ? 'Would clear it.' : 'Cleared.', data: { text: thing.text } })
    },
  }
}

/** A surface with tools of each level that asks, which change one thing. */
export function thingSurface(thing: Thing): Surface {
  return {
    tools: [
      defineThingTool('change_things', 2, thing),
      defineThingTool('delete_thing', 3, thing),
      defineThingTool('decide_thing', 4, thing),
      defineThingTool('approve_thing', 4, thing, ['page', 'terminal']),
      // The types of input and output are the tool's own business.
    ] as unknown as readonly Tool[],
    resources: [],
    templates: [],
    prompts: [],
  }
}
