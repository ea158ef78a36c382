import { ServiceError } from '../../errors.ts'
import { inOneProduct } from './find-product.ts'
import { isProvisional, keyPrefix, looseKey, mayBeId } from './ids.ts'
import type { NextAction } from '../result/next-action.ts'
import { explainNotOffered, ifOffered, isNotOffered } from './offered.ts'
import { everyPage, undefinedIfNotFound, type ListedRows } from './requests.ts'
import type { Product, Requirement, Resolver, ResolverCall, Test } from './types.ts'
import { describeValue, isShowable, TeachingError } from '../result/teach.ts'
import { compareName } from '../text/untrusted.ts'
import type { Untrusted } from '../../contract/base/text.ts'
import { explainProvisional, type OnBranch } from './provisional-key.ts'
import { requireSearched } from './require-searched.ts'
import { wrongKind } from './wrong-kind.ts'

/** The part of a resolver that finds requirements and tests, whose keys count within one product. */
export function createKeyFinder(call: ResolverCall): Pick<Resolver, 'requirement' | 'test'> {
  const { api, signal } = call
  const isRequirementOn = async (key: string, place: OnBranch) => {
    const { requirements } = await api.listRequirements({ ...place, key: [key], page_size: 2 }, { signal })
    return requirements.some((row) => row.key === key)
  }
  const isTestOn = async (key: string, place: OnBranch) => {
    const { tests } = await api.listTests({ ...place, key: [key], page_size: 2 }, { signal })
    return tests.some((row) => row.key === key)
  }
  return {
    async requirement(given, product, branchId) {
      const scope = { ...(branchId !== undefined && { branch_id: branchId }) }
      if (branchId === undefined && isProvisional(given, 'REQ'))
        throw await explainProvisional(given, product, { name: 'requirement', isOn: isRequirementOn }, call)
      const found = await find<Requirement>(call, given, product, {
        name: 'requirement',
        prefix: 'REQ',
        next: ({ match, ...args }) => [
          { tool: 'list_requirements', why: 'searches requirements', args: { ...args, branch: branchId, match } },
          { tool: 'find_coverage_gaps', why: 'lists requirements', args: { ...args, branch: branchId } },
        ],
        byId: async (id) => (await api.getRequirement({ id, ...scope }, { signal })).requirement,
        list: async (product_id) =>
          everyPage((page) => api.listRequirements({ product_id, ...scope, ...page }, { signal }), 'requirements'),
        async byKey(product_id, key) {
          const { requirements: rows, reading } = await api.listRequirements(
            { product_id, ...scope, key: [key], page_size: 2 },
            { signal },
          )
          return { rows, reading }
        },
        async search(product_id, q) {
          const { requirements: rows, reading } = await api.listRequirements(
            { product_id, ...scope, q, page_size: SEARCHED },
            { signal },
          )
          return { rows, reading }
        },
      })
      return { requirement: found.row, product: found.product }
    },
    async test(given, product, branchId) {
      const scope = { ...(branchId !== undefined && { branch_id: branchId }) }
      if (branchId === undefined && isProvisional(given, 'TC'))
        throw await explainProvisional(given, product, { name: 'test', isOn: isTestOn }, call)
      const found = await find<Test>(call, given, product, {
        name: 'test',
        prefix: 'TC',
        next: ({ match, ...args }) => {
          const on = { ...args, branch: branchId }
          const search = { tool: 'list_tests', why: 'searches tests', args: { ...on, match } }
          return branchId === undefined ? [search] : [search, { tool: 'review_branch', why: 'what is on it', args: on }]
        },
        byId: async (id) => (await api.getTest({ id, ...scope }, { signal })).test,
        list: async (product_id) =>
          everyPage((page) => api.listTests({ product_id, ...scope, ...page }, { signal }), 'tests'),
        async byKey(product_id, key) {
          const { tests: rows, reading } = await api.listTests(
            { product_id, ...scope, key: [key], page_size: 2 },
            { signal },
          )
          return { rows, reading }
        },
        async search(product_id, q) {
          const { tests: rows, reading } = await api.listTests(
            { product_id, ...scope, q, page_size: SEARCHED },
            { signal },
          )
          return { rows, reading }
        },
      })
      return { test: found.row, product: found.product }
    },
  }
}

/** How many of the best matches of a title are compared with it. */
const SEARCHED = 50
/** The longest title of the contract. */
const TITLE_CHARACTERS = 200
/** An id that is no word: nothing else can be meant by it. */
const RANDOM = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i

interface Row {
  id: string
  product_id?: string
  key?: string
  title?: Untrusted<string> | string
}

interface Searched<T> {
  /** The noun, which is also the name of the parameter. */
  name: 'requirement' | 'test'
  /** What keys begin with. */
  prefix: string
  /** Calls that list such rows, the best first; the first one that is offered is named. */
  next(this: void, args: { product?: string | undefined; match?: string | undefined }): NextAction[]
  byId(id: string): Promise<T>
  /** All rows of a product, as far as they are read. */
  list(productId: string): Promise<ListedRows<T>>
  byKey(productId: string, key: string): Promise<ListedRows<T>>
  search(productId: string, words: string): Promise<ListedRows<T>>
}

interface Found<T> {
  row: T
  product: Product
}

async function find<T extends Row>(
  call: ResolverCall,
  given: string,
  productGiven: string | undefined,
  kind: Searched<T>,
): Promise<Found<T>> {
  const { products, product, isPinned } = call
  const isKey = keyPrefix(given) !== undefined || isProvisional(given)
  // A key is unique only within its product, so one is required; an id determines its product.
  const scope = isKey || productGiven !== undefined || isPinned ? await product(productGiven) : undefined
  if (isKey && scope !== undefined) {
    const row = await findByKey(given.toUpperCase(), scope, kind)
    if (row !== undefined) return { row, product: scope }
    throw wrongKind(given, kind.name, { scope, products: await products() }) ?? notFound(given, kind, scope)
  }
  const { row, listed } = mayBeId(given) ? await findById(given, kind, { scope, call }) : {}
  if (row === undefined) return await findByWords(given, kind, { scope, call })
  const owner = requireOwner(row, kind, listed)
  const found = scope ?? (await products()).find(({ id }) => id === owner)
  if (found?.id !== owner) throw notFound(given, kind, scope, await products())
  return { row, product: found }
}

/** By its own endpoint; in the list of the product where this deployment does not offer that. */
async function findById<T extends Row>(
  given: string,
  kind: Searched<T>,
  { scope, call }: { scope: Product | undefined; call: ResolverCall },
): Promise<{ row?: T | undefined; listed?: Product }> {
  try {
    return { row: await kind.byId(given) }
  } catch (error) {
    if (!isNotOffered(error)) return { row: await undefinedIfNotFound<T>(Promise.reject(error)) }
    const listed = scope ?? (await call.product(undefined))
    const { rows, reading } = await kind.list(listed.id).catch(explainList(kind))
    const row = rows.find(({ id }) => id === given)
    if (row === undefined && reading.isComplete !== true) throw error
    return { row, listed }
  }
}

/** For `catch`: says that the deployment lists no such things, which are then found by their ids alone. */
function explainList<T>({ name }: Searched<T>): (error: unknown) => never {
  return explainNotOffered(`the list of ${name}s`, {
    expected: `the id of the ${name}, where this deployment offers single ${name}s`,
    hint: 'Reads by id still work.',
  })
}

/** What is neither a key nor an id: another spelling of a key, as `#7` and `req 16`, or the exact title. */
async function findByWords<T extends Row>(
  given: string,
  kind: Searched<T>,
  { scope: known, call }: { scope: Product | undefined; call: ResolverCall },
): Promise<Found<T>> {
  if (RANDOM.test(given) || given.length > TITLE_CHARACTERS)
    throw notFound(given, kind, known, await ifOffered(call.products()))
  const scope = known ?? (await call.product(undefined))
  const key = looseKey(given, kind.prefix)
  const row = key === undefined ? await findByTitle(given, scope, kind) : await findByKey(key, scope, kind)
  if (row === undefined) throw notFound(given, kind, scope)
  return { row, product: scope }
}

async function findByKey<T extends Row>(key: string, scope: Product, kind: Searched<T>): Promise<T | undefined> {
  // A deployment that does not know the filter returns any row.
  const { rows, reading } = await kind.byKey(scope.id, key).catch(explainList(kind))
  const row = rows.find((one) => one.key === key)
  const areKeysHidden = rows.length > 0 && rows.every((one) => one.key === undefined)
  if (row === undefined) requireSearched(key, reading, { ...lookup(kind, scope), areKeysHidden })
  return row !== undefined && requireOwner(row, kind, scope) === scope.id ? row : undefined
}

async function findByTitle<T extends Row>(given: string, scope: Product, kind: Searched<T>): Promise<T | undefined> {
  const { rows, reading } = await kind.search(scope.id, given).catch(explainList(kind))
  for (const step of ['exact', 'fold']) {
    const [row, ...others] = rows.filter(
      (one) => compareName(one.title, given) === step && requireOwner(one, kind, scope) === scope.id,
    )
    if (row !== undefined && others.length === 0) return row
    if (row !== undefined) throw severalTitles(given, kind, [row, ...others])
  }
  requireSearched(given, reading, lookup(kind, scope))
  return undefined
}

/** What is looked up, and the calls that list it. */
function lookup<T>({ name, next }: Searched<T>, scope: Product) {
  return { kind: name, parameter: name, next: next({ product: scope.id }) }
}

function severalTitles<T extends Row>(given: string, { name }: Searched<T>, rows: readonly T[]): TeachingError {
  const keys = rows.slice(0, 10).map(({ key, id }) => key ?? id)
  const sent = `${name} = ${describeValue(given)}`
  return new TeachingError('ambiguous_name', `several ${name}s have this title`, {
    sent,
    expected: `one of the keys ${keys.join(', ')}`,
  })
}

/** The id of the product that a row names; if it names none, of the product whose list it was found in. */
function requireOwner(row: { product_id?: string }, { name }: { name: string }, listed?: Product): string {
  const owner = row.product_id ?? listed?.id
  if (owner !== undefined) return owner
  throw new ServiceError('upstream_shape_unknown', `the deployment does not say which product the ${name} belongs to`)
}

/** `products` are all that the token sees. */
function notFound<T>(
  given: string,
  { name, prefix, next }: Searched<T>,
  product: Product | undefined,
  products: readonly Product[] = [],
): TeachingError {
  const where = product?.name === undefined ? '' : ` in product "${product.name}"`
  const isTitle = !mayBeId(given) && isShowable(given)
  return new TeachingError('not_found', `${name} not found${where}`, {
    sent: `${name} = ${describeValue(given)}`,
    expected: `a ${name} key such as ${prefix}-12, the exact title, or an id`,
    next: inOneProduct(
      next({ ...(product !== undefined && { product: product.id }), ...(isTitle && { match: given }) }),
      product,
      products,
    ),
  })
}
