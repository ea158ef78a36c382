import { ServiceError } from '../../errors.ts'
import { keyPrefix, mayBeId } from './ids.ts'
import { inOneProduct } from './find-product.ts'
import { explainNotOffered } from './offered.ts'
import { undefinedIfNotFound } from './requests.ts'
import { requireSearched } from './require-searched.ts'
import type { IssueInFull, IssueReference, Product, Resolver, ResolverCall } from './types.ts'
import { describeValue, TeachingError } from '../result/teach.ts'
import { wrongKind } from './wrong-kind.ts'

interface Keyed {
  product: Product
  id?: string
  timesSeen?: number | undefined
}

/** The part of a resolver that finds issues. */
export function createIssueFinder(call: ResolverCall): Pick<Resolver, 'issue' | 'issueReference'> {
  const { api, signal, products, product } = call
  const findScope = (given: string | undefined) =>
    given !== undefined || call.isPinned ? product(given) : Promise.resolve(undefined)

  async function issue(given: string, productGiven?: string): Promise<IssueInFull> {
    const scope = await findScope(productGiven)
    const key = await byKey(given, scope)
    const id = key === undefined ? given : key.id
    const found = id === undefined || !mayBeId(id) ? undefined : await read(id, key?.product)
    if (found === undefined) {
      const all = await products()
      throw bareNumber(given, scope, all) ?? noIssue(given, scope ?? key?.product, { all })
    }
    if (scope === undefined) return found
    if (requireProduct(found) !== scope.id) throw noIssue(given, scope)
    return found
  }

  /** One that the list of a product has shown is known to exist: without a reason, a 404 is about the endpoint. */
  function read(id: string, listedIn: Product | undefined): Promise<IssueInFull | undefined> {
    const answer = api.getIssue({ id }, { signal })
    const args = { ...(listedIn && call.isPinned !== true && { product: listedIn.id }), status: 'any' }
    const lesson = { next: { tool: 'find_error_issues', why: 'still lists issues', args } }
    return undefinedIfNotFound(
      listedIn === undefined ? answer : answer.catch(explainNotOffered('single error issues', lesson)),
    )
  }

  async function issueReference(given: string, productGiven?: string): Promise<IssueReference> {
    const scope = await findScope(productGiven)
    const key = await byKey(given, scope)
    const id = key === undefined ? given : key.id
    if (id === undefined || !mayBeId(id)) throw noIssue(given, scope ?? key?.product, { all: await products() })
    // A number is more likely a key without its prefix than the id of another deployment.
    if (/^\d+$/.test(id)) await issue(id, productGiven)
    const owner = key?.product ?? scope ?? (await findOwner(id))
    return { id, product: owner, timesSeen: key?.timesSeen, missing: () => noIssue(given, owner) }
  }

  /** The only product, or the one that the issue names. */
  async function findOwner(id: string): Promise<Product> {
    const all = await products()
    const [only, ...others] = all
    if (only !== undefined && others.length === 0) return only
    const owner = requireProduct(await issue(id))
    const found = all.find((row) => row.id === owner)
    if (found === undefined) throw noIssue(id, undefined, { all })
    return found
  }

  /** The product of a key, and what its list says of the issue if it exists; undefined for text that is not a key. */
  async function byKey(given: string, scope: Product | undefined): Promise<Keyed | undefined> {
    const prefix = keyPrefix(given)
    if (prefix === undefined) return undefined
    const shortId = given.toUpperCase()
    const all = await products()
    requireSameProduct(shortId, prefix, scope, all)
    const owner = scope ?? chooseOwner(shortId, prefix, all)
    const { issues, reading } = await api.listIssues(
      { product_id: owner.id, short_id: shortId, page_size: 2 },
      { signal },
    )
    // A deployment that does not know the filter returns any issue.
    const found = issues.find((row) => row.short_id === shortId)
    if (found !== undefined) return { product: owner, id: found.id, timesSeen: found.times_seen }
    const error = wrongKind(given, 'issue', { scope: owner, products: all })
    if (error !== undefined) throw error
    const areKeysHidden = issues.length > 0 && issues.every((row) => row.short_id === undefined)
    requireSearched(given, reading, { ...lookup(owner), areKeysHidden })
    return { product: owner }
  }

  return { issue, issueReference }
}

function chooseOwner(shortId: string, prefix: string, all: readonly Product[]): Product {
  const owners = all.filter((row) => row.key_prefix === prefix)
  const [owner, ...others] = owners
  if (owner === undefined) {
    const error = wrongKind(shortId, 'issue', { scope: undefined, products: all })
    if (error !== undefined) throw error
    return onlyWithoutPrefix(shortId, all)
  }
  // The embedded service never has two; a wrong guess would write to another product's issue.
  if (others.length > 0) throw severalOwners(shortId, owners)
  return owner
}

/** The product of a key where no product has its prefix: the only product, if the deployment does not show prefixes. */
function onlyWithoutPrefix(key: string, all: readonly Product[]): Product {
  const [only, ...others] = all
  if (only === undefined || all.some((row) => row.key_prefix !== undefined))
    throw noIssue(key, undefined, { all, prefixes: prefixesIn(all) })
  if (others.length === 0) return only
  throw new TeachingError('ambiguous_name', 'this deployment does not show the key prefixes of products', {
    sent: `issue = ${describeValue(key)}`,
    expected: 'the product too, or the id of the issue',
    next: { tool: 'get_workspace_context', why: 'lists products', args: {} },
  })
}

/** Throws when the key's prefix names exactly one of the visible products, and the caller named another one. */
function requireSameProduct(key: string, prefix: string, scope: Product | undefined, all: readonly Product[]): void {
  if (scope?.key_prefix === undefined || scope.key_prefix === prefix) return
  const [owner, ...others] = all.filter((row) => row.key_prefix === prefix)
  if (owner === undefined || others.length > 0) return
  const name = owner.name === undefined ? owner.id : `"${owner.name}"`
  throw new TeachingError('invalid_argument', `${key} is a key of product ${name}, not of the product that you named`, {
    sent: `issue = ${describeValue(key)}`,
    hint: `The same call with product ${JSON.stringify(owner.id)}, or without product.`,
  })
}

/** The error for a number without its prefix: the key is named, not guessed, because writes ask for issues too. */
function bareNumber(given: string, scope: Product | undefined, all: readonly Product[]): TeachingError | undefined {
  const prefixes = prefixesIn(scope === undefined ? all : [scope])
  if (!/^[1-9]\d{0,9}$/.test(given) || prefixes.length === 0) return undefined
  const keys = prefixes.slice(0, 10).map((prefix) => `${prefix}-${given}`)
  return new TeachingError('wrong_id_kind', `${given} is not an error-issue key`, {
    expected: `issue: the whole key, ${keys.join(' or ')}, as in find_error_issues`,
    hint: 'The same call with the key.',
  })
}

function requireProduct({ issue }: IssueInFull): string {
  if (issue.product_id !== undefined) return issue.product_id
  throw new ServiceError('upstream_shape_unknown', 'the deployment does not say which product the issue belongs to')
}

function severalOwners(key: string, owners: readonly Product[]): TeachingError {
  return new TeachingError('ambiguous_name', `several products have the prefix of ${key}`, {
    sent: `issue = ${describeValue(key)}`,
    expected: 'the id of the issue',
    next: {
      tool: 'find_error_issues',
      why: 'lists issues with their ids',
      args: { product: owners[0]?.id, status: 'any' },
    },
  })
}

/** What is looked up, and the call that lists it. */
function lookup(product: Product | undefined) {
  const args = { ...(product !== undefined && { product: product.id }), status: 'any', period: '30d' }
  return { kind: 'error issue', parameter: 'issue', next: { tool: 'find_error_issues', why: 'lists issues', args } }
}

function prefixesIn(products: readonly Product[]): string[] {
  return products.flatMap(({ key_prefix: prefix }) => prefix ?? [])
}

function noIssue(
  given: string,
  product: Product | undefined,
  { all = [], prefixes = [] }: { all?: readonly Product[]; prefixes?: readonly string[] } = {},
): TeachingError {
  const where = product?.name === undefined ? '' : ` in product "${product.name}"`
  return new TeachingError('not_found', `error issue not found${where}`, {
    sent: `issue = ${describeValue(given)}`,
    expected:
      'an error-issue key or id, as in find_error_issues rows[].id' +
      (prefixes.length === 0 ? '' : `; keys begin with ${prefixes.slice(0, 10).join(', ')}`),
    next: inOneProduct(lookup(product).next, product, all),
  })
}
