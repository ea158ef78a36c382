import type * as z from 'zod'
import type { Answered, Api, Told } from '../../client/api.ts'
import type * as parts from '../../contract/components.ts'
import type * as places from '../../contract/environments.ts'
import type { ResultOf } from '../../contract/index.ts'
import type * as schemas from '../../contract/products.ts'
import { clean, cutTo, inOneLine } from '../text/clean.ts'
import { createKeyFinder, type Requirement, type Test } from './find-in-product.ts'
import { createIssueFinder, orUndefined, type IssuePlace } from './find-issue.ts'
import { noEvents } from './no-events.ts'
import { once, oncePer } from '../../lib/once.ts'
import { chooseByName } from './choose.ts'
import { shapeOf, TeachingError } from '../result/teach.ts'
import { compareName, knownName } from '../text/untrusted.ts'

export type Product = Told<z.output<typeof schemas.Product>>
export type Environment = Told<z.output<typeof places.Environment>>
export type Release = Told<z.output<typeof places.Release>>
export type Component = Told<z.output<typeof parts.Component>>
export type IssueInFull = Answered<ResultOf<'getIssue'>>

/** A write never follows a name that was only begun. */
export interface ResolveOptions {
  write?: boolean
}

/** Names to ids (mcp §3.1): each answers the one thing meant or an error that lists candidates. */
export interface Resolver {
  /** Every product the token may see; only the pinned one when one is pinned. */
  products(): Promise<Product[]>
  /** By id, name or key prefix; without a name the pinned or the only product. */
  product(given: string | undefined, options?: ResolveOptions): Promise<Product>
  environments(productId: string): Promise<Environment[]>
  environment(productId: string, given: string): Promise<Environment>
  releases(productId: string, filter?: { environmentId?: string; version?: string }): Promise<Release[]>
  /** A version that exists in several environments needs one. */
  release(productId: string, given: string, environmentId: string | undefined): Promise<Release>
  components(productId: string): Promise<Component[]>
  component(productId: string, given: string): Promise<Component>
  /** Whether anything has ever reported to the product. */
  hasEvents(productId: string): Promise<boolean>
  /** By id or key (SHOP-31, whose product the key names); an issue of another product is not found. */
  issue(given: string, product?: string): Promise<IssueInFull>
  /** Where to ask for an issue, which is read only when nothing else says whose it is. */
  issuePlace(given: string, product?: string): Promise<IssuePlace>
  /** By id, or by key (REQ-12) in the product given, pinned or only; one of another product is not found. */
  requirement(given: string, product?: string): Promise<{ requirement: Requirement; product: Product }>
  /** The same for a test (TC-7). */
  test(given: string, product?: string): Promise<{ test: Test; product: Product }>
}

/** Pages of 200 that a name is looked for in; beyond them an id is needed. */
const PAGES = 5
const PAGE_SIZE = 200
const PRODUCTS_NAMED = 8
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A resolver that remembers what it read for as long as one call lasts. */
export function createResolver(call: { api: Api; pinned: string | undefined; signal: AbortSignal }): Resolver {
  const { api, signal } = call
  const visible = once(async () => {
    const workspaces = await everyPage((page) => api.listWorkspaces(page, { signal }), 'workspaces')
    const lists = await Promise.all(
      workspaces.map(({ id }) =>
        everyPage((page) => api.listProducts({ workspace_id: id, ...page }, { signal }), 'products'),
      ),
    )
    return lists.flat()
  })
  const environments = oncePer((productId: string) =>
    everyPage((page) => api.listEnvironments({ product_id: productId, ...page }, { signal }), 'environments'),
  )
  const components = oncePer((productId: string) =>
    everyPage((page) => api.listComponents({ product_id: productId, ...page }, { signal }), 'components'),
  )
  const releases: Resolver['releases'] = async (productId, filter = {}) => {
    const { releases: rows } = await api.listReleases(
      {
        product_id: productId,
        ...(filter.environmentId !== undefined && { environment_id: filter.environmentId }),
        ...(filter.version !== undefined && { version: filter.version }),
        page_size: 50,
      },
      { signal },
    )
    return rows
  }

  async function products(): Promise<Product[]> {
    const all = await visible()
    return call.pinned === undefined ? all : [pinnedOf(all, call.pinned)]
  }

  async function product(given: string | undefined, options: ResolveOptions = {}): Promise<Product> {
    const all = await products()
    if (given === undefined) {
      const [only, ...others] = all
      if (only !== undefined && others.length === 0) return only
      throw manyProducts(all)
    }
    return chooseByName(given, all, {
      kind: 'product',
      parameter: 'product',
      names: (row) => [row.name, row.key_prefix, row.slug],
      label: (row) => row.name,
      next: { tool: 'get_workspace_context', why: 'lists products', args: {} },
      ...options,
    })
  }

  async function release(productId: string, given: string, environmentId: string | undefined): Promise<Release> {
    const scope = environmentId === undefined ? {} : { environmentId }
    const versioned = (await releases(productId, { ...scope, version: given })).filter(
      (row) => compareName(row.version, given) !== undefined,
    )
    const rows = versioned.length > 0 ? versioned : await releases(productId, scope)
    if (rows.length === 0 && !(await hasEvents(productId))) throw nothingYet('release', given)
    if (versioned.length === 0 && UUID.test(given) && rows.every(({ id }) => id !== given)) {
      const older = await orUndefined(api.getRelease({ id: given }, { signal }))
      if (older?.release.product_id === productId) return older.release
    }
    return chooseByName(given, rows, {
      kind: 'release',
      parameter: 'release',
      names: (row) => [row.version],
      label: (row) =>
        [knownName(row.version, row.known), knownName(row.environment, row.environment_known)]
          .filter(Boolean)
          .join(' in '),
      several: 'the version exists in several environments: pass environment too, or a release id',
      next: {
        tool: 'get_workspace_context',
        why: 'lists releases',
        args: { product: productId, include: ['releases'] },
      },
    })
  }

  const hasEvents = oncePer(async (productId: string) => {
    const { issues } = await api.listIssues({ product_id: productId, page_size: 1 }, { signal })
    return issues.length > 0
  })

  return {
    products,
    product,
    environments,
    async environment(productId, given) {
      const rows = await environments(productId)
      if (rows.length === 0 && !(await hasEvents(productId))) throw nothingYet('environment', given)
      return chooseByName(given, rows, {
        kind: 'environment',
        parameter: 'environment',
        names: (row) => [row.name],
        label: (row) => knownName(row.name, row.known),
        next: {
          tool: 'get_workspace_context',
          why: 'lists environments',
          args: { product: productId, include: ['environments'] },
        },
      })
    },
    hasEvents,
    releases,
    release,
    components,
    async component(productId, given) {
      return chooseByName(given, await components(productId), {
        kind: 'component',
        parameter: 'component',
        names: (row) => [row.name, row.slug],
        label: (row) => row.name,
        next: {
          tool: 'get_workspace_context',
          why: 'lists components',
          args: { product: productId, include: ['components'] },
        },
      })
    },
    ...createIssueFinder({ api, signal, pinned: call.pinned !== undefined, products, product }),
    ...createKeyFinder({ api, signal, pinned: call.pinned !== undefined, products, product }),
  }
}

function pinnedOf(all: readonly Product[], pinned: string): Product {
  const match = all.find(({ id }) => id === pinned) ?? all.find(({ name }) => name === pinned)
  if (match !== undefined) return match
  const names = all.slice(0, PRODUCTS_NAMED).map((row) => `${nameOf(row)} (${row.id})`)
  const more = all.length > PRODUCTS_NAMED ? ` and ${String(all.length - PRODUCTS_NAMED)} more` : ''
  throw new TeachingError('not_found', 'the product this server is pinned to is not among those the token may see', {
    hint:
      names.length === 0
        ? 'ask the user for a token that sees a product.'
        : `ask the user to set TRACEGATE_PRODUCT to one of: ${names.join(', ')}${more}`,
  })
}

/** For a line of an error: a hint is shown as it is. */
function nameOf({ name }: Product): string {
  return cutTo(inOneLine(clean(name ?? 'unnamed').text), 40)
}

function manyProducts(all: readonly Product[]): TeachingError {
  if (all.length === 0) {
    return new TeachingError('not_found', 'the token sees no product', {
      expected: 'a product, made by the user in the web interface or with tracegate serve',
    })
  }
  return new TeachingError('ambiguous_name', `several products: say which`, {
    sent: 'no product',
    expected: `product: ${all
      .slice(0, 10)
      .map((row) => `${row.id} (${row.name ?? 'unnamed'})`)
      .join(', ')}`,
    next: { tool: 'get_workspace_context', why: 'lists products', args: {} },
  })
}

function nothingYet(kind: 'environment' | 'release', given: string): TeachingError {
  return new TeachingError('not_found', `${kind} not found`, {
    sent: `${kind} = ${shapeOf(given)}`,
    expected: `there is no ${kind} yet`,
    hint: noEvents,
  })
}

interface Page {
  page_size: number
  page_token?: string
}

/** Rows of all pages, as far as a name is looked for. */
async function everyPage<K extends string, R>(
  read: (page: Page) => Promise<{ [P in K]: R[] } & { next_page_token?: string | undefined }>,
  member: K,
): Promise<R[]> {
  const rows: R[] = []
  let token: string | undefined
  for (let page = 0; page < PAGES; page += 1) {
    const answer = await read({ page_size: PAGE_SIZE, ...(token !== undefined && { page_token: token }) })
    rows.push(...answer[member])
    token = answer.next_page_token === '' ? undefined : answer.next_page_token
    // A deployment may send more than a page.
    if (token === undefined || rows.length >= PAGES * PAGE_SIZE) break
  }
  return rows.slice(0, PAGES * PAGE_SIZE)
}
