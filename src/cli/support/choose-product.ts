import type { Api } from '../../client/api.ts'
import { ConfigError } from '../../config.ts'
import { isEndpointMissing, ServiceError } from '../../errors.ts'
import { mayBeId } from '../../mcp/resolve/ids.ts'
import { byLikeness } from '../../mcp/text/close-names.ts'
import { createResolver } from '../../mcp/resolve/index.ts'
import type { Product } from '../../mcp/resolve/types.ts'
import { plain } from './finding.ts'
import { quoted } from './own-command.ts'

/** Products that a message lists. */
const LISTED = 8

/**
 * The products that the token sees; of a deployment that does not list them, the one that is named by its id. Rejects with
 * a `ServiceError`.
 */
export async function visibleProducts(
  api: Api,
  named: string | undefined,
  signal: AbortSignal,
): Promise<readonly Product[]> {
  try {
    return await createResolver({ api, pinned: undefined, signal }).products()
  } catch (error) {
    if (!isEndpointMissing(error) || !(error instanceof ServiceError)) throw error
    if (named !== undefined && mayBeId(named)) return [{ id: named }]
    const words = `${error.message}: check TRACEGATE_BASE_URL, or name the product by its id with --product`
    throw new ServiceError(error.code, words, { reason: error.reason, cause: error })
  }
}

/** The product with this id or exact name, or the only product. Rejects with a `ConfigError` that lists the products. */
export async function chooseProduct(api: Api, named: string | undefined, signal: AbortSignal): Promise<Product> {
  const products = await visibleProducts(api, named, signal)
  const found = findByName(products, named)
  if (found !== undefined) return found
  throw new ConfigError(
    products.length === 0 ? 'the token has access to no product: use one that has' : missingProduct(products, named),
  )
}

/** The product with this id, else with this exact name; without a name the only one. */
export function findByName<P extends Named>(products: readonly P[], named: string | undefined): P | undefined {
  if (named === undefined) return products.length === 1 ? products[0] : undefined
  return products.find(({ id }) => String(id) === named) ?? products.find(({ name }) => name === named)
}

interface Named {
  id: string | number
  name?: string | undefined
}

/** Why no product was found and what to do: those with a close name first, and the command that makes one of that name. */
export function missingProduct(products: readonly Named[], named: string | undefined): string {
  if (named === undefined) return `--product: choose one: ${listed(products)}`
  const { ordered, close } = byLikeness(named, products, ({ name = '' }) => name)
  const others = ordered.slice(close)
  const list =
    close === 0
      ? `choose ${listed(ordered)}`
      : `did you mean ${listed(ordered.slice(0, close))}?${others.length === 0 ? '' : ` Others: ${listed(others)}`}`
  return `--product: there is no product ${plain(named)}: ${list}; to make it: tracegate init --name ${quoted(plain(named))}`
}

function listed(products: readonly Named[]): string {
  const shown = products.slice(0, LISTED).map(({ id, name }) => `${plain(name ?? 'unnamed')} (${String(id)})`)
  const more = products.length > LISTED ? ` and ${String(products.length - LISTED)} more` : ''
  return `${shown.join(', ')}${more}`
}
