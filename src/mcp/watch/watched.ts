import { UriTemplate } from '@modelcontextprotocol/server'
import type { CallFacts } from '../call/call-tool.ts'
import { withApi } from '../call/outside-call.ts'
import { MOST_URI_CHARACTERS } from '../call/check-params.ts'
import { stateDigest } from '../confirm/state.ts'
import type { ReadContext } from '../define/define.ts'
import type { Listing } from '../surface/listing.ts'
import { decodedVariables } from '../surface/variables.ts'
import type { ReadState } from './polls.ts'

/** What one read of a watched resource may take. */
const READ_MS = 10_000

/** An address that can be watched. */
export interface Watched {
  /** The same for the same address, caller and pinned product. */
  key: string
  read(this: void): Promise<ReadState>
}

/** How the address is watched for the caller of these facts; undefined when it cannot be. */
export function findWatched(uri: string, listing: Listing, facts: CallFacts): Watched | undefined {
  if (uri.length > MOST_URI_CHARACTERS) return undefined
  for (const { template } of listing.templates) {
    const { watch } = template
    const variables = watch && parsed(template.uriTemplate).match(uri)
    if (watch === undefined || !variables) continue
    return {
      key: JSON.stringify([facts.changing.caller, facts.options.product, uri]),
      read: async () => {
        const read = (context: ReadContext) => watch(decodedVariables(variables), context)
        const { value, isMoving = false } = await withApi(facts, READ_MS, read)
        return { digest: stateDigest(value), isMoving }
      },
    }
  }
  return undefined
}

const templates = new Map<string, UriTemplate>()

/** There are as many as the surface has. */
function parsed(uriTemplate: string): UriTemplate {
  const template = templates.get(uriTemplate) ?? new UriTemplate(uriTemplate)
  templates.set(uriTemplate, template)
  return template
}
