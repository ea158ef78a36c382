import { ServiceError } from '../../../src/errors.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import { explainNotOffered, ifOffered } from '../../../src/mcp/resolve/offered.ts'
import { rowsSearched } from '../../../src/mcp/resolve/requests.ts'
import type { Environment, Product } from '../../../src/mcp/resolve/types.ts'
import { nextCall } from '../../../src/mcp/result/next-action.ts'
import { isSameName } from '../../../src/mcp/text/untrusted.ts'
import { isTracegate } from '../is-tracegate.ts'
import { ifReadable, mayBeDone, unknownOutcome } from '../writes/outcome.ts'

export interface EnvironmentRequest {
  product: Product
  name: string
  dryRun: boolean
}

export interface MadeEnvironment {
  outcome: 'created' | 'would_create' | 'adopted' | 'would_adopt' | 'already' | 'not_stated'
  /** Without an id where it is only previewed. */
  environment: (Omit<Environment, 'id'> & { id?: string | undefined }) | undefined
  isReadBack: boolean
}

/** Creates an environment, or takes over one that only events have named; one that a member named stays as it is. */
export async function makeEnvironment(request: EnvironmentRequest, context: Context): Promise<MadeEnvironment> {
  const listed = await ifOffered(context.resolve.environments(request.product.id))
  const existing = listed?.rows.find(({ name }) => isSameName(name, request.name))
  if (existing !== undefined && existing.known !== false)
    return { outcome: 'already', environment: existing, isReadBack: false }
  const isSure = listed !== undefined && rowsSearched(listed) === undefined
  if (request.dryRun) return preview(request, { existing, isSure }, context)
  return create(request, existing, context)
}

async function preview(
  { product, name }: EnvironmentRequest,
  { existing, isSure }: { existing: Environment | undefined; isSure: boolean },
  context: Context,
): Promise<MadeEnvironment> {
  const { api, signal } = context
  const outcome = existing !== undefined ? 'would_adopt' : isSure ? 'would_create' : 'not_stated'
  if (!(await isTracegate(context))) return { outcome, environment: existing, isReadBack: false }
  const request = { product_id: product.id, name, validate_only: true }
  const { environment } = await api.createEnvironment(request, { signal })
  return { outcome, environment: { ...environment, id: existing?.id }, isReadBack: false }
}

async function create(
  request: EnvironmentRequest,
  existing: Environment | undefined,
  context: Context,
): Promise<MadeEnvironment> {
  const { api, signal } = context
  const { product, name } = request
  const outcome = existing === undefined ? 'created' : 'adopted'
  try {
    const { environment } = await api.createEnvironment({ product_id: product.id, name }, { signal })
    return { outcome, environment, isReadBack: false }
  } catch (error) {
    const isTaken = error instanceof ServiceError && error.code === 'already_exists'
    if (!isTaken && !mayBeDone(error)) return explainRefusal(error)
    const found = await ifReadable(findAgain(request, context))
    if (found !== undefined && (isTaken || found.known !== false))
      return { outcome: isTaken ? 'already' : outcome, environment: found, isReadBack: !isTaken }
    if (isTaken) throw error
    const list = { product: product.id, include: ['environments'] }
    throw unknownOutcome(error, { next: nextCall('get_workspace_context', list, 'lists environments') })
  }
}

const explainRefusal = explainNotOffered('the creation of environments', {
  hint: 'events and releases that name an environment create it too.',
})

/** Past the list that this call has read before. */
async function findAgain({ product, name }: EnvironmentRequest, { api, signal }: Context) {
  const { environments } = await api.listEnvironments({ product_id: product.id, page_size: 200 }, { signal })
  return environments.find((row) => isSameName(row.name, name))
}
