import { renameProduct } from '../../service/workspace/change-product.ts'
import type { StoredProduct } from '../../service/workspace/products.ts'
import { plain } from '../support/finding.ts'
import { adminProduct, checkedName, type Subcommand } from './open.ts'

/** `admin product list`. */
export const listAllProducts: Subcommand = {
  takes: '',
  operands: [0, 0],
  async run({ db, io }) {
    const products = await db.read.selectFrom('product').selectAll().orderBy('id').execute()
    for (const product of products) io.stdout.write(`${line(product)}\n`)
  },
}

/** `admin product name NAME`: another name for a product, also for the one that the first start made. */
export const nameOneProduct: Subcommand = {
  takes: 'NAME [--key-prefix P] [--repository URL] [--product P]',
  operands: [1, 1],
  async run({ config, db, operands: [name = ''], call, io }) {
    const product = await adminProduct({ config, db })
    const { keyPrefix: key_prefix, repository: repositoryUrl } = config
    const after = await db.write((rows) =>
      renameProduct(rows, call, product.id, {
        name: checkedName(name, 'admin product name'),
        key_prefix,
        repositoryUrl,
      }),
    )
    io.stdout.write(`${line(after)}\n`)
    io.stderr.write('tracegate: a client or pipeline that names the product by its old name needs the new one\n')
  },
}

function line({ id, name, key_prefix }: StoredProduct): string {
  return `${plain(name)} | ${key_prefix}-1, … | ${String(id)}`
}
