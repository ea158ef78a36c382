import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate as Template,
  type McpServer,
} from '@modelcontextprotocol/server'
import { ServiceError, type FailureCode } from '../errors.ts'
import type { CallOutcome } from './call/outcome.ts'
import type { RunSuggest } from './call/outside-call.ts'
import type { ListedTemplate } from './surface/listing.ts'
import { decodedVariables } from './surface/variables.ts'

/** Results must not be cached: they change, and belong to the reader. */
const FRESH = { ttlMs: 0, cacheScope: 'private' } as const
/** No dialect of Markdown, and no reader may make links or images of what outsiders wrote (mcp §6.8). */
const MIME_TYPE = 'text/plain'
/** Failures that mean: there is nothing at this address. */
const NOTHING_THERE: ReadonlySet<FailureCode> = new Set([
  'not_found',
  'invalid_argument',
  'ambiguous_name',
  'wrong_id_kind',
])

interface TemplateUse {
  call(this: void, args: unknown, signal: AbortSignal): Promise<CallOutcome>
  suggest: RunSuggest
}

/** Registers a template: reading an address of it is a call of its tool, whose text form is the content. */
export function registerTemplate(server: McpServer, listed: ListedTemplate, { call, suggest }: TemplateUse): void {
  const { template, description } = listed
  const complete = Object.fromEntries(
    Object.entries(template.suggest).map(([variable, how]) => [
      variable,
      (typed: string, context?: { arguments?: Record<string, string> }) => suggest(how, typed, context?.arguments),
    ]),
  )
  server.registerResource(
    template.name,
    new Template(template.uriTemplate, { list: undefined, complete }),
    { title: template.title, description, mimeType: MIME_TYPE, cacheHint: FRESH },
    async ({ href }, variables, { mcpReq }) => {
      const { text, error, _meta } = await call(template.args(decodedVariables(variables)), mcpReq.signal)
      if (error === undefined) return { contents: [{ uri: href, mimeType: MIME_TYPE, text, _meta }] }
      throw addressError(href, error, text)
    },
  )
}

/** A failure at an address as an error of the protocol; `text` is what the agent reads of it. */
export function addressError(uri: string, error: unknown, text: string): ProtocolError {
  return error instanceof ServiceError && NOTHING_THERE.has(error.code)
    ? new ResourceNotFoundError(uri, text)
    : new ProtocolError(ProtocolErrorCode.InternalError, text)
}
