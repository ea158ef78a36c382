import type { Api } from '../../client/api.ts'
import { ConfigError } from '../../config.ts'
import { createResolver } from '../../mcp/resolve/index.ts'
import type { Product } from '../../mcp/resolve/types.ts'
import { plain } from './finding.ts'

/** The product with this id or exact name, or the only product. Rejects with a `ConfigError` that lists the products. */
export async function chooseProduct(api: Api, named: string | undefined, signal: AbortSignal): Promise<Product> {
  const products = await createResolver({ api, pinned: undefined, signal }).products()
  const [only, ...others] = products
  if (named === undefined && only !== undefined && others.length === 0) return only
  const match = products.find(({ id }) => id === named) ?? products.find(({ name }) => name === named)
  if (match !== undefined) return match
  const list = products.map(({ id, name }) => `${plain(name ?? 'unnamed')} (${id})`).join(', ')
  throw new ConfigError(
    only === undefined
      ? 'the token has access to no product: use one that has'
      : `--product: ${named === undefined ? 'choose one' : 'there is no such product'}: ${list}`,
  )
}
