import type { EndpointName } from '../../contract/index.ts'
import type { Call } from '../shared/context.ts'
import { rememberedText } from '../sql/remembered.ts'

/** What most calls of tools begin with. The answers depend on what is stored, the request and who asks, not on the time. */
const rememberedEndpoints: ReadonlySet<EndpointName> = new Set(['listWorkspaces', 'listProducts'])

/**
 * The answer of a read as JSON. That of an endpoint which is asked often is made once for each committed state of the
 * database, request and caller (decision 074), so that what was just written is in the next answer.
 */
export function rememberedAnswer(call: Call, input: unknown, answer: () => Promise<string>): Promise<string> {
  const { db, endpoint, origin, principal } = call
  if (!rememberedEndpoints.has(endpoint)) return answer()
  const key = JSON.stringify([endpoint, origin, principal.userId, principal.workspaceIds, input])
  return rememberedText(db.read, key, answer)
}
