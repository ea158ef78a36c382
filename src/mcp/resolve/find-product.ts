import type { Api } from '../../client/api.ts'
import { ENDPOINT_MISSING } from '../../errors.ts'
import { byLikeness } from '../text/close-names.ts'
import { once, oncePer } from '../../lib/once.ts'
import { nextCall, type NextAction } from '../result/next-action.ts'
import { describeValue, TeachingError } from '../result/teach.ts'
import { clean, cutTo, inOneLine } from '../../lib/outside-text/clean.ts'
import { chooseByName } from './choose.ts'
import { mayBeId } from './ids.ts'
import { ifOffered } from './offered.ts'
import { everyPage } from './requests.ts'
import { noteWorkspaces, type SeenWorkspaces } from './seen-workspaces.ts'
import type { Product, Resolver, Workspace } from './types.ts'

const PRODUCTS_LISTED = 8

/** The part of a resolver that finds products. */
export function createProductFinder(call: {
  api: Api
  pinned: string | undefined
  signal: AbortSignal
  seen?: SeenWorkspaces | undefined
}): Pick<Resolver, 'products' | 'product' | 'workspace'> {
  const { api, pinned, signal, seen } = call
  const readOnce = once(() => readWorkspaces({ api, signal }))
  const productsIn = oncePer((id: string) =>
    ifOffered(everyPage((page) => api.listProducts({ workspace_id: id, ...page }, { signal }), 'products')),
  )
  const visible = once(async () => {
    // Requested before the list has answered, which saves a round trip; a workspace that is gone costs one request.
    for (const id of seen?.ids ?? []) productsIn(id).catch(() => undefined)
    const workspaces = await readOnce()
    noteWorkspaces(seen, workspaces ?? [])
    const lists = await Promise.all((workspaces ?? []).map(({ id }) => productsIn(id)))
    const listed = lists.filter((list) => list !== undefined)
    if (workspaces !== undefined && listed.length === lists.length) return listed.flatMap(({ rows }) => rows)
    // Without a list the pinned product is known by its id alone.
    if (pinned !== undefined && mayBeId(pinned)) return [{ id: pinned }]
    throw notListed()
  })

  async function products(): Promise<Product[]> {
    const all = await visible()
    return pinned === undefined ? all : [findPinned(all, pinned)]
  }

  async function product(given: string | undefined, options = {}): Promise<Product> {
    const all = await products()
    if (given === undefined) {
      const [only, ...others] = all
      if (only !== undefined && others.length === 0) return only
      throw noSingleProduct(all)
    }
    return chooseByName(given, all, {
      kind: 'product',
      parameter: 'product',
      names: (row) => [row.name, row.key_prefix, row.slug],
      label: (row) => row.name,
      next: productsCall(),
      ...options,
    })
  }

  async function workspace(given: string | undefined): Promise<Workspace> {
    const all: readonly Workspace[] = (await readOnce()) ?? []
    if (all.length === 0) throw notListed()
    const [only, ...others] = all
    if (given === undefined && only !== undefined && others.length === 0) return only
    return chooseByName(given ?? '', all, {
      kind: 'workspace',
      parameter: 'workspace',
      names: (row) => [row.name, row.slug],
      label: (row) => row.name,
      next: { tool: 'get_workspace_context', why: 'names workspaces', args: {} },
      write: true,
    })
  }

  return { products, product, workspace }
}

/** The workspaces of the token, by their list or as auth/me names them; undefined where this deployment has neither. */
async function readWorkspaces({ api, signal }: { api: Api; signal: AbortSignal }) {
  const listed = await ifOffered(everyPage((page) => api.listWorkspaces(page, { signal }), 'workspaces'))
  return listed?.rows ?? (await ifOffered(api.getMe({}, { signal })))?.user.workspaces
}

function notListed(): TeachingError {
  return new TeachingError(
    'unimplemented',
    'this deployment does not list workspaces or products, or the base address is wrong',
    { hint: 'ask the user to check TRACEGATE_BASE_URL, and to set TRACEGATE_PRODUCT to the id of the product.' },
    { reason: ENDPOINT_MISSING },
  )
}

function findPinned(all: readonly Product[], pinned: string): Product {
  const match = all.find(({ id }) => id === pinned) ?? all.find(({ name }) => name === pinned)
  if (match !== undefined) return match
  const { ordered } = byLikeness(pinned, all, ({ name = '' }) => name)
  const names = ordered.slice(0, PRODUCTS_LISTED).map((row) => `${hintName(row)} (${row.id})`)
  const more = all.length > PRODUCTS_LISTED ? ` and ${String(all.length - PRODUCTS_LISTED)} more` : ''
  throw new TeachingError('not_found', 'the product this server is pinned to is not among those the token may see', {
    sent: `TRACEGATE_PRODUCT, --product or the address = ${describeValue(pinned)}`,
    hint:
      names.length === 0
        ? 'ask the user for a token that sees a product.'
        : `ask the user to set TRACEGATE_PRODUCT to one of: ${names.join(', ')}${more}; or to make the product with tracegate init --name.`,
  })
}

/** Cleaned here, because hints are shown unchanged. */
function hintName({ name }: Product): string {
  return cutTo(inOneLine(clean(name ?? 'unnamed')), 40)
}

function noSingleProduct(all: readonly Product[]): TeachingError {
  if (all.length === 0) {
    return new TeachingError('not_found', 'the token sees no product', {
      expected: 'a product, made by the user in the web interface or with tracegate init',
    })
  }
  return new TeachingError('ambiguous_name', `several products: say which`, {
    expected: `product: ${all
      .slice(0, 10)
      .map((row) => `${row.id} (${row.name ?? 'unnamed'})`)
      .join(', ')}`,
    hint: `The same call with a product, such as {"product":${JSON.stringify(all[0]?.id)}}.`,
  })
}

/** A next step that needs one product, or the call that lists the products where it is not known which of several is meant. */
export function inOneProduct<Next extends NextAction | NextAction[]>(
  next: Next,
  product: Product | undefined,
  products: readonly Product[] = [],
): Next | NextAction {
  return product === undefined && products.length > 1 ? productsCall() : next
}

function productsCall(): NextAction {
  return nextCall('get_workspace_context', {}, 'lists products')
}
