import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Asked } from '../confirm/ask.ts'
import type { Tool } from '../define/define.ts'
import type { Answer } from '../result/answer.ts'
import { render, type RenderOptions } from '../result/render.ts'
import type { TaskHead } from './started-task.ts'

/** What a call ends with. */
export interface CallOutcome {
  /** The text form of the result or of the error. */
  text: string
  structuredContent?: { [name: string]: unknown }
  _meta: { 'tracegate/integrity': string }
  error?: unknown
  /** True for a result that describes a failure. */
  isError?: boolean
  /** Instead of a result: what the client has to ask its user before the same call runs. */
  asked?: Asked
  /** What the call started, for a client that accepts tasks. */
  task?: TaskHead
}

/** An answer of the tool as the outcome of a call. */
export async function renderOutcome(
  { output }: Tool,
  answer: Answer<object>,
  options: Omit<RenderOptions, 'output'>,
): Promise<CallOutcome> {
  const { text, structured, integrity } = await render(answer, { ...options, output })
  return { text, structuredContent: structured, _meta: { 'tracegate/integrity': integrity } }
}

/** An outcome as the result of `tools/call`. */
export function toolResult({
  text,
  structuredContent,
  _meta,
  error,
  isError = error !== undefined,
}: CallOutcome): CallToolResult {
  return {
    content: [{ type: 'text', text }],
    ...(structuredContent !== undefined && { structuredContent }),
    _meta,
    ...(isError && { isError }),
  }
}
