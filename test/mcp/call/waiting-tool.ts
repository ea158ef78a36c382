import * as z from 'zod'
import { defineTool, type Context, type Tool } from '../../../src/mcp/define/define.ts'

type Args = { note?: string | undefined }

/** The tool `wait_long`, whose calls end when the test lets them; `wait` may resolve to the answer. */
export function waitingTool(wait: (args: Args, context: Context) => Promise<string | void>): Tool {
  const tool = defineTool({
    name: 'wait_long',
    toolset: 'default',
    effect: 'read',
    title: 'Wait',
    description: 'Waits.',
    input: z.strictObject({ note: z.string().optional() }),
    output: z.object({}),
    run: async (args, context) => ({ answer: (await wait(args, context)) ?? 'Waited.', data: {} }),
  })
  // The types of input and output are the tool's own business.
  return tool as unknown as Tool
}
