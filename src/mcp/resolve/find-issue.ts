import type { Api } from '../../client/api.ts'
import { ServiceError } from '../../errors.ts'
import { keyPrefix, mayBeId } from './ids.ts'
import type { IssueInFull, Product, Resolver } from './index.ts'
import { shapeOf, TeachingError } from '../result/teach.ts'

/** An issue by the id and the product that the paths of its endpoints take. */
export interface IssuePlace {
  id: string
  product: Product
  /** What to throw when there is none. */
  missing(this: void): TeachingError
}

interface Call extends Pick<Resolver, 'products' | 'product'> {
  api: Api
  signal: AbortSignal
  /** One product is pinned. */
  pinned: boolean
}

/** The part of a resolver that finds issues. */
export function createIssueFinder(call: Call): Pick<Resolver, 'issue' | 'issuePlace'> {
  const { api, signal, products, product } = call
  const scopeOf = (given: string | undefined) =>
    given !== undefined || call.pinned ? product(given) : Promise.resolve(undefined)

  async function issue(given: string, productGiven?: string): Promise<IssueInFull> {
    const scope = await scopeOf(productGiven)
    const key = await byKey(given, scope)
    const id = key === undefined ? given : key.id
    const found = id === undefined || !mayBeId(id) ? undefined : await orUndefined(api.getIssue({ id }, { signal }))
    if (found === undefined) throw noIssue(given, scope)
    if (scope === undefined) return found
    if (productOf(found) !== scope.id) throw noIssue(given, scope)
    return found
  }

  async function issuePlace(given: string, productGiven?: string): Promise<IssuePlace> {
    const scope = await scopeOf(productGiven)
    const key = await byKey(given, scope)
    const id = key === undefined ? given : key.id
    if (id === undefined || !mayBeId(id)) throw noIssue(given, scope)
    const owner = key?.product ?? scope ?? (await ownerOfId(id))
    return { id, product: owner, missing: () => noIssue(given, owner) }
  }

  /** The only product, else the one that the issue says it belongs to. */
  async function ownerOfId(id: string): Promise<Product> {
    const all = await products()
    const [only, ...others] = all
    if (only !== undefined && others.length === 0) return only
    const owner = productOf(await issue(id))
    const found = all.find((row) => row.id === owner)
    if (found === undefined) throw noIssue(id, undefined)
    return found
  }

  /** Of a key its product and the id, where there is such an issue; undefined for what is no key. */
  async function byKey(given: string, scope: Product | undefined) {
    const prefix = keyPrefix(given)
    if (prefix === undefined) return undefined
    const shortId = given.toUpperCase()
    const owner = scope ?? ownerOf(shortId, prefix, await products())
    const { issues } = await api.listIssues({ product_id: owner.id, short_id: shortId, page_size: 2 }, { signal })
    // A deployment that does not know the filter would answer with any issue.
    return { product: owner, id: issues.find((row) => row.short_id === shortId)?.id }
  }

  return { issue, issuePlace }
}

function ownerOf(shortId: string, prefix: string, all: readonly Product[]): Product {
  const owners = all.filter((row) => row.key_prefix === prefix)
  const [owner, ...others] = owners
  if (owner === undefined) throw noIssue(shortId, undefined, all)
  // No deployment of ours has two; a wrong guess would write to another product's issue.
  if (others.length > 0) throw manyOwners(shortId, owners)
  return owner
}

function productOf({ issue }: IssueInFull): string {
  if (issue.product_id !== undefined) return issue.product_id
  throw new ServiceError('upstream_shape_unknown', 'the deployment does not say which product the issue belongs to')
}

function manyOwners(key: string, owners: readonly Product[]): TeachingError {
  return new TeachingError('ambiguous_name', `several products have the prefix of ${key}`, {
    sent: `issue = ${shapeOf(key)}`,
    expected: 'the id of the issue',
    next: {
      tool: 'find_error_issues',
      why: 'lists issues with their ids',
      args: { product: owners[0]?.id, status: 'any' },
    },
  })
}

function noIssue(given: string, product: Product | undefined, others: readonly Product[] = []): TeachingError {
  const prefixes = others.flatMap(({ key_prefix: prefix }) => prefix ?? []).slice(0, 10)
  const where = product?.name === undefined ? '' : ` in product "${product.name}"`
  return new TeachingError('not_found', `error issue not found${where}`, {
    sent: `issue = ${shapeOf(given)}`,
    expected:
      'an error-issue key or id, as in find_error_issues rows[].id' +
      (prefixes.length === 0 ? '' : `; keys begin with ${prefixes.join(', ')}`),
    next: {
      tool: 'find_error_issues',
      why: 'lists issues',
      args: { ...(product !== undefined && { product: product.id }), status: 'any', period: '30d' },
    },
  })
}

/** The answer, or undefined where the service knows no such thing. */
export async function orUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return undefined
    throw error
  }
}
