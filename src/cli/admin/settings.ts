import { ConfigError } from '../../config.ts'
import { changeSettings, readSettings } from '../../service/workspace/change-product.ts'
import { plain } from '../support/finding.ts'
import { adminProduct, type Subcommand } from './open.ts'

/** `admin settings [single_user_approval LIST]`: prints the settings of a product, after the change. */
export const settings: Subcommand = {
  takes: '[single_user_approval ENVIRONMENTS|all|none] [--product P]',
  operands: [0, 2],
  async run({ config, db, operands: [setting, value], call, io }) {
    const product = await adminProduct({ config, db })
    if (setting === undefined) {
      io.stdout.write(`${JSON.stringify(readSettings(product), undefined, 2)}\n`)
      return
    }
    if (setting !== 'single_user_approval' || value === undefined) {
      throw new ConfigError('use: tracegate admin settings single_user_approval qa,staging (or all, or none)')
    }
    const after = await db.write(async (rows) => {
      const known = await rows
        .selectFrom('environment')
        .select('name')
        .where('product_id', '=', product.id)
        .where('deleted_at', 'is', null)
        .execute()
      const names = readEnvironments(
        value,
        known.map(({ name }) => name),
      )
      return changeSettings(rows, call, product.id, { single_user_approval: names })
    })
    io.stdout.write(`${JSON.stringify(after, undefined, 2)}\n`)
  },
}

function readEnvironments(value: string, known: readonly string[]): string[] {
  if (value === 'none') return []
  if (value === 'all') return ['*']
  const names = value.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return names
  const list = known.length === 0 ? 'the product has none yet: use' : `use names of ${known.map(plain).join(', ')},`
  throw new ConfigError(`there is no environment ${plain(unknown)}; ${list} all or none`)
}
