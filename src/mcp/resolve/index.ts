import type { Api } from '../../client/api.ts'
import { createAgentFinder } from './find-agent.ts'
import { createBranchFinder } from './find-branch.ts'
import { createIssueFinder } from './find-issue.ts'
import { createKeyFinder } from './find-in-product.ts'
import { createNameFinder } from './find-by-name.ts'
import { createProductFinder } from './find-product.ts'
import type { SeenWorkspaces } from './seen-workspaces.ts'
import type { Resolver } from './types.ts'

/** A resolver that remembers what it has read, for the length of one call. */
export function createResolver(call: {
  api: Api
  pinned: string | undefined
  signal: AbortSignal
  /** What the caller's earlier calls have seen. */
  seen?: SeenWorkspaces | undefined
}): Resolver {
  const { api, pinned, signal } = call
  const { products, product, workspace } = createProductFinder(call)
  const shared = { api, signal, isPinned: pinned !== undefined, products, product }
  return {
    products,
    product,
    workspace,
    ...createNameFinder(call),
    ...createIssueFinder(shared),
    ...createKeyFinder(shared),
    ...createBranchFinder(shared),
    ...createAgentFinder(shared),
  }
}
