import { counted } from '../../../src/lib/counted.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import type { Branch, Requirement } from '../../../src/mcp/resolve/types.ts'
import { keyOrId } from '../columns.ts'
import { ifReadable } from '../writes/outcome.ts'

/** Tests named in a sentence. */
const NAMED = 5

/**
 * Which tests are proposed to prove the requirement, and wait for a decision on the branch: a sentence, undefined where there
 * are none or the deployment does not list them.
 */
export async function proposedTests(
  { id }: Pick<Requirement, 'id'>,
  branch: Branch | undefined,
  { api, signal }: Pick<Context, 'api' | 'signal'>,
): Promise<string | undefined> {
  if (branch === undefined) return undefined
  const filter = { branch_id: branch.id, requirement_id: id, page_size: 50 }
  const found = await ifReadable(api.listLinkProposals(filter, { signal }))
  // A deployment that does not know a filter answers with others.
  const waiting = (found?.link_proposals ?? []).filter(
    ({ state, action, requirement }) =>
      requirement?.id === id && state === 'LINK_PROPOSAL_STATE_PENDING' && action === 'LINK_PROPOSAL_ACTION_ADD',
  )
  if (waiting.length === 0) return undefined
  const keys = waiting.slice(0, NAMED).map(({ test }) => keyOrId(test ?? {}))
  const more = waiting.length > NAMED ? ` and ${String(waiting.length - NAMED)} more` : ''
  return `${counted(waiting.length, 'test')} proposed to prove it (${keys.join(', ')}${more}): the user decides each link before it counts, so do not write the same test again`
}
