import { ServiceError } from '../../errors.ts'
import { keyPrefix, mayBeId } from './ids.ts'
import type { NextAction } from '../result/next-action.ts'
import { undefinedIfNotFound } from './requests.ts'
import type { Product, Requirement, Resolver, ResolverCall, Test } from './types.ts'
import { describeValue, TeachingError } from '../result/teach.ts'

/** The part of a resolver that finds requirements and tests, whose keys count within one product. */
export function createKeyFinder(call: ResolverCall): Pick<Resolver, 'requirement' | 'test'> {
  const { api, signal } = call
  return {
    async requirement(given, product) {
      const found = await find<Requirement>(call, given, product, {
        name: 'requirement',
        expected: 'a requirement key such as REQ-12, or an id, as in find_coverage_gaps rows[].id',
        next: (args) => ({ tool: 'find_coverage_gaps', why: 'lists requirements', args }),
        byId: async (id) => (await undefinedIfNotFound(api.getRequirement({ id }, { signal })))?.requirement,
        async byKey(product_id, key) {
          return (await api.listRequirements({ product_id, key: [key], page_size: 2 }, { signal })).requirements
        },
      })
      return { requirement: found.row, product: found.product }
    },
    async test(given, product) {
      const found = await find<Test>(call, given, product, {
        name: 'test',
        expected: 'a test key such as TC-7, or an id',
        next: (args) => ({ tool: 'list_tests', why: 'lists tests', args }),
        byId: async (id) => (await undefinedIfNotFound(api.getTest({ id }, { signal })))?.test,
        async byKey(product_id, key) {
          return (await api.listTests({ product_id, key: [key], page_size: 2 }, { signal })).tests
        },
      })
      return { test: found.row, product: found.product }
    },
  }
}

interface Searched<T> {
  /** The noun, which is also the name of the parameter. */
  name: string
  expected: string
  next(this: void, args: NextAction['args']): NextAction
  byId(id: string): Promise<T | undefined>
  byKey(productId: string, key: string): Promise<T[]>
}

async function find<T extends { product_id?: string; key?: string }>(
  { products, product, isPinned }: ResolverCall,
  given: string,
  productGiven: string | undefined,
  kind: Searched<T>,
): Promise<{ row: T; product: Product }> {
  const isKey = keyPrefix(given) !== undefined
  // A key is unique only within its product, so one is required; an id determines its product.
  const scope = isKey || productGiven !== undefined || isPinned ? await product(productGiven) : undefined
  if (isKey && scope !== undefined) {
    const key = given.toUpperCase()
    // A deployment that does not know the filter returns any row.
    const row = (await kind.byKey(scope.id, key)).find((one) => one.key === key)
    if (row === undefined || requireOwner(row, kind, scope) !== scope.id) throw notFound(given, kind, scope)
    return { row, product: scope }
  }
  const row = mayBeId(given) ? await kind.byId(given) : undefined
  if (row === undefined) throw notFound(given, kind, scope)
  const owner = requireOwner(row, kind)
  const found = scope ?? (await products()).find(({ id }) => id === owner)
  if (found?.id !== owner) throw notFound(given, kind, scope)
  return { row, product: found }
}

/** The id of the product that a row names; if it names none, of the product whose list it was found in. */
function requireOwner(row: { product_id?: string }, { name }: { name: string }, listed?: Product): string {
  const owner = row.product_id ?? listed?.id
  if (owner !== undefined) return owner
  throw new ServiceError('upstream_shape_unknown', `the deployment does not say which product the ${name} belongs to`)
}

function notFound<T>(
  given: string,
  { name, expected, next }: Searched<T>,
  product: Product | undefined,
): TeachingError {
  const where = product?.name === undefined ? '' : ` in product "${product.name}"`
  return new TeachingError('not_found', `${name} not found${where}`, {
    sent: `${name} = ${describeValue(given)}`,
    expected,
    next: next(product === undefined ? {} : { product: product.id }),
  })
}
