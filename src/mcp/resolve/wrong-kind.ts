import type { NextAction } from '../result/next-action.ts'
import { TeachingError } from '../result/teach.ts'
import { inOneProduct } from './find-product.ts'
import { keyPrefix } from './ids.ts'
import type { Product } from './types.ts'

type Kind = 'issue' | 'requirement' | 'test'

const nouns = { issue: 'an error issue', requirement: 'a requirement', test: 'a test' } as const satisfies Record<
  Kind,
  string
>

/**
 * The error for a key that is well formed but names another kind of thing than the parameter takes: `SHOP-7` where a
 * requirement is due. Undefined when the prefix says nothing.
 */
export function wrongKind(
  given: string,
  due: Kind,
  { scope, products }: { scope: Product | undefined; products: readonly Product[] },
): TeachingError | undefined {
  const prefix = keyPrefix(given)
  const kind = prefix === undefined ? undefined : kindWithPrefix(prefix, products)
  if (kind === undefined || kind === due) return undefined
  const key = given.toUpperCase()
  return new TeachingError('wrong_id_kind', `${key} is the key of ${nouns[kind]}, not of ${nouns[due]}`, {
    expected: `${due}: the key or id of ${nouns[due]}${due === 'issue' ? ', as in find_error_issues' : ''}`,
    // The key of an issue says which product it is of.
    next:
      kind === 'issue' ? readers(kind, key, scope?.id) : inOneProduct(readers(kind, key, scope?.id), scope, products),
  })
}

/** A product may have REQ or TC as its prefix; then the key may be an issue's. */
function kindWithPrefix(prefix: string, products: readonly Product[]): Kind | undefined {
  if (products.some((product) => product.key_prefix === prefix)) return 'issue'
  if (prefix === 'REQ') return 'requirement'
  return prefix === 'TC' ? 'test' : undefined
}

/** The calls that read the thing, the best first. */
function readers(kind: Kind, key: string, product: string | undefined): NextAction[] {
  const args = { ...(product !== undefined && { product }), [kind]: key }
  const tools = {
    issue: ['get_error_issue'],
    requirement: ['get_requirement', 'get_test_context'],
    test: ['get_test'],
  }
  // The key of an issue names its product.
  return tools[kind].map((tool) => ({ tool, why: 'reads it', args: kind === 'issue' ? { issue: key } : args }))
}
