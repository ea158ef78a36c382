import { ServiceError } from '../../../src/errors.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import { explainNotOffered, ifOffered } from '../../../src/mcp/resolve/offered.ts'
import { rowsSearched } from '../../../src/mcp/resolve/requests.ts'
import type { Component, Product } from '../../../src/mcp/resolve/types.ts'
import { nextCall } from '../../../src/mcp/result/next-action.ts'
import { isSameName } from '../../../src/mcp/text/untrusted.ts'
import { isTracegate } from '../is-tracegate.ts'
import { ifReadable, mayBeDone, unknownOutcome } from '../writes/outcome.ts'

export interface ComponentRequest {
  product: Product
  name: string
  globs: readonly string[]
  owners: readonly string[]
  dryRun: boolean
}

export interface MadeComponent {
  outcome: 'created' | 'would_create' | 'already' | 'not_stated'
  /** Without an id where it is only previewed. */
  component: (Omit<Component, 'id'> & { id?: string | undefined }) | undefined
  /** Globs of other components that match the same files. */
  overlaps: { component: string; glob: string | undefined }[]
  isReadBack: boolean
}

/** Creates a component, unless one of that name exists. */
export async function makeComponent(request: ComponentRequest, context: Context): Promise<MadeComponent> {
  const listed = await ifOffered(context.resolve.components(request.product.id))
  const existing = listed?.rows.find(({ name }) => isSameName(name, request.name))
  if (existing !== undefined) return unchanged(existing, false)
  const isSure = listed !== undefined && rowsSearched(listed) === undefined
  return request.dryRun ? preview(request, isSure, context) : create(request, context)
}

function unchanged(component: Component, isReadBack: boolean): MadeComponent {
  return { outcome: isReadBack ? 'created' : 'already', component, overlaps: [], isReadBack }
}

function body({ product, name, globs, owners }: ComponentRequest) {
  return {
    product_id: product.id,
    name,
    path_globs: [...globs],
    ...(owners.length > 0 && {
      owners: owners.map((ref) => ({
        kind: ref.includes('@') && !ref.startsWith('@') ? ('OWNER_KIND_EMAIL' as const) : ('OWNER_KIND_TEAM' as const),
        ref,
      })),
    }),
  }
}

async function preview(request: ComponentRequest, isSure: boolean, context: Context): Promise<MadeComponent> {
  const { api, signal } = context
  const outcome = isSure ? 'would_create' : 'not_stated'
  const { name, globs } = request
  const asked = { name, path_globs: [...globs] }
  if (!(await isTracegate(context))) return { outcome, component: asked, overlaps: [], isReadBack: false }
  const { component, overlaps } = await api.createComponent({ ...body(request), validate_only: true }, { signal })
  return {
    outcome,
    component: { ...component, id: undefined },
    overlaps: await named(overlaps, request.product, context),
    isReadBack: false,
  }
}

async function create(request: ComponentRequest, context: Context): Promise<MadeComponent> {
  const { api, signal } = context
  try {
    const { component, overlaps } = await api.createComponent(body(request), { signal })
    const others = await named(overlaps, request.product, context)
    return { outcome: 'created', component, overlaps: others, isReadBack: false }
  } catch (error) {
    const isTaken = error instanceof ServiceError && error.code === 'already_exists'
    if (!isTaken && !mayBeDone(error)) return explainRefusal(error)
    const found = await ifReadable(findAgain(request, context))
    if (found !== undefined) return unchanged(found, !isTaken)
    if (isTaken) throw error
    const list = { product: request.product.id, include: ['components'] }
    throw unknownOutcome(error, { next: nextCall('get_workspace_context', list, 'lists components') })
  }
}

const explainRefusal = explainNotOffered('the creation of components', {
  hint: 'ask the user to create it in the web interface.',
})

/** Past the list that this call has read before. */
async function findAgain({ product, name }: ComponentRequest, { api, signal }: Context) {
  const { components } = await api.listComponents({ product_id: product.id, page_size: 200 }, { signal })
  return components.find((row) => isSameName(row.name, name))
}

type Overlaps = Awaited<ReturnType<Context['api']['createComponent']>>['overlaps']

/** The globs of others with the names of their components. */
async function named(overlaps: Overlaps = [], { id }: Product, { resolve }: Context) {
  if (overlaps.length === 0) return []
  const names = new Map((await ifOffered(resolve.components(id)))?.rows.map((row) => [row.id, row.slug ?? row.id]))
  return overlaps.map(({ component_id: other = '', glob }) => ({ component: names.get(other) ?? other, glob }))
}
