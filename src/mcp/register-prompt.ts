import { completable, type McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'
import type { RunSuggest } from './call/outside-call.ts'
import type { Prompt, PromptArguments, Suggest } from './define/define.ts'
import { promptText } from './surface/prompt-text.ts'

interface PromptUse {
  offers: (tool: string) => boolean
  suggest: RunSuggest
}

/** Registers a prompt; its arguments suggest values where it says how. */
export function registerPrompt(server: McpServer, prompt: Prompt, { offers, suggest }: PromptUse): void {
  const { name, title, description, args } = prompt
  const shape: [string, PromptArguments[string]][] = Object.entries(args).map(([argument, schema]) => {
    const how = prompt.suggest[argument]
    return [argument, how === undefined ? schema : suggesting(schema, how, suggest)]
  })
  server.registerPrompt(name, { title, description, argsSchema: z.object(Object.fromEntries(shape)) }, (given) => ({
    messages: [{ role: 'user', content: { type: 'text', text: promptText(prompt, given, offers) } }],
  }))
}

/**
 * The SDK looks for its mark on the innermost schema and marks each one once for all, while what runs belongs to one
 * server: so a copy is marked, and what makes it optional goes around it again.
 */
function suggesting(schema: PromptArguments[string], how: Suggest, suggest: RunSuggest): PromptArguments[string] {
  const optional = schema instanceof z.ZodOptional
  const inner = (optional ? schema.unwrap() : schema).clone()
  const described = schema.description === undefined ? inner : inner.describe(schema.description)
  const marked = completable(described, (typed, context) => suggest(how, typed, context?.arguments))
  return optional ? marked.optional() : marked
}
