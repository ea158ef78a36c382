import type * as z from 'zod'
import type { Api, Told } from '../../client/api.ts'
import type * as requirements from '../../contract/requirements.ts'
import type * as tests from '../../contract/tests.ts'
import { ServiceError } from '../../errors.ts'
import { orUndefined } from './find-issue.ts'
import { keyPrefix, mayBeId } from './ids.ts'
import type { NextAction } from '../result/next-action.ts'
import type { Product, Resolver } from './index.ts'
import { shapeOf, TeachingError } from '../result/teach.ts'

export type Requirement = Told<z.output<typeof requirements.Requirement>>
export type Test = Told<z.output<typeof tests.Test>>

interface Call extends Pick<Resolver, 'products' | 'product'> {
  api: Api
  signal: AbortSignal
  /** One product is pinned. */
  pinned: boolean
}

/** The part of a resolver that finds requirements and tests, whose keys count within one product. */
export function createKeyFinder(call: Call): Pick<Resolver, 'requirement' | 'test'> {
  const { api, signal } = call
  return {
    async requirement(given, product) {
      const found = await find<Requirement>(call, given, product, {
        name: 'requirement',
        expected: 'a requirement key such as REQ-12, or an id, as in find_coverage_gaps rows[].id',
        next: (args) => ({ tool: 'find_coverage_gaps', why: 'lists requirements', args }),
        byId: async (id) => (await orUndefined(api.getRequirement({ id }, { signal })))?.requirement,
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
        byId: async (id) => (await orUndefined(api.getTest({ id }, { signal })))?.test,
        async byKey(product_id, key) {
          return (await api.listTests({ product_id, key: [key], page_size: 2 }, { signal })).tests
        },
      })
      return { test: found.row, product: found.product }
    },
  }
}

interface Kind<T> {
  /** Of the thing and of the parameter. */
  name: string
  expected: string
  next(this: void, args: NextAction['args']): NextAction
  byId(id: string): Promise<T | undefined>
  byKey(productId: string, key: string): Promise<T[]>
}

async function find<T extends { product_id?: string; key?: string }>(
  { products, product, pinned }: Call,
  given: string,
  productGiven: string | undefined,
  kind: Kind<T>,
): Promise<{ row: T; product: Product }> {
  const isKey = keyPrefix(given) !== undefined
  // A key is one of its product only, so there has to be one; an id says by itself whose it is.
  const scope = isKey || productGiven !== undefined || pinned ? await product(productGiven) : undefined
  if (isKey && scope !== undefined) {
    const key = given.toUpperCase()
    // A deployment that does not know the filter would answer with any.
    const row = (await kind.byKey(scope.id, key)).find((one) => one.key === key)
    if (row === undefined || ownerOf(row, kind, scope) !== scope.id) throw none(given, kind, scope)
    return { row, product: scope }
  }
  const row = mayBeId(given) ? await kind.byId(given) : undefined
  if (row === undefined) throw none(given, kind, scope)
  const owner = ownerOf(row, kind)
  const found = scope ?? (await products()).find(({ id }) => id === owner)
  if (found?.id !== owner) throw none(given, kind, scope)
  return { row, product: found }
}

/** The product that a thing says it belongs to; where it does not say, the one by whose list it was found. */
function ownerOf(row: { product_id?: string }, { name }: { name: string }, listed?: Product): string {
  const owner = row.product_id ?? listed?.id
  if (owner !== undefined) return owner
  throw new ServiceError('upstream_shape_unknown', `the deployment does not say which product the ${name} belongs to`)
}

function none<T>(given: string, { name, expected, next }: Kind<T>, product: Product | undefined): TeachingError {
  const where = product?.name === undefined ? '' : ` in product "${product.name}"`
  return new TeachingError('not_found', `${name} not found${where}`, {
    sent: `${name} = ${shapeOf(given)}`,
    expected,
    next: next(product === undefined ? {} : { product: product.id }),
  })
}
