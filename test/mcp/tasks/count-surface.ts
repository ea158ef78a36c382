import * as z from 'zod'
import { ServiceError } from '../../../src/errors.ts'
import { defineTool, type TaskReading, type Tool } from '../../../src/mcp/define/define.ts'
import type { Surface } from '../../../src/mcp/surface/listing.ts'

const output = z.object({ id: z.string().optional(), counted: z.int().optional() })

/** Work that continues after the call that started it. */
export interface Count {
  reading: TaskReading<typeof output>
  cancelled: string[]
}

const times = { createdAt: '2026-11-23T03:00:00.000Z', updatedAt: '2026-11-23T03:00:01.000Z' }
export const working = { ...times, status: 'working' as const, message: 'counting: 3 of 10' }
export const cancelled = { ...times, status: 'cancelled' as const }
export const counted = (isError = false) => ({
  ...times,
  status: 'completed' as const,
  answer: async () => ({
    answer: isError ? 'Counting failed.' : 'Counted to 10.',
    data: { id: 'count-1', counted: 10 },
  }),
  isError,
})

/** A surface with one tool that starts `count-1`, whose reading a test sets. */
export function countSurface(count: Count): Surface {
  const startCount = defineTool({
    name: 'start_count',
    toolset: 'default',
    effect: 'create',
    title: 'Start a count',
    description: 'Starts to count.',
    input: z.strictObject({ idle: z.boolean().optional() }),
    output,
    task: {
      pollIntervalMs: 500,
      ttlMs: 60_000,
      started: ({ data }) => data.id,
      async read(id) {
        if (id !== 'count-1') throw new ServiceError('not_found', 'no such count')
        return count.reading
      },
      async cancel(id) {
        count.cancelled.push(id)
      },
    },
    run: async ({ idle }) =>
      idle === true ? { answer: 'Nothing to count.', data: {} } : { answer: 'Started.', data: { id: 'count-1' } },
  })
  // The types of input and output are the tool's own business.
  return { tools: [startCount as unknown as Tool], resources: [], templates: [], prompts: [] }
}
