import { ConfigError, type Config } from '../../config.ts'
import { ServiceError } from '../../errors.ts'
import { plain } from '../support/finding.ts'
import type { Io } from '../support/io.ts'
import { addOneKey, listAllKeys, revokeOneKey } from './keys.ts'
import { adminCall, openDatabase, type Subcommand } from './open.ts'
import { setPolicy, showPolicy } from './policy.ts'
import { listAllProducts, nameOneProduct } from './products.ts'
import { settings } from './settings.ts'
import { addOneToken, listAllTokens, revokeOneToken } from './tokens.ts'
import { addOneUser, listAllUsers } from './users.ts'

/** By their words. */
const subcommands: Readonly<Record<string, Subcommand>> = {
  'product list': listAllProducts,
  'product name': nameOneProduct,
  'user add': addOneUser,
  'user list': listAllUsers,
  'token add': addOneToken,
  'token list': listAllTokens,
  'token revoke': revokeOneToken,
  'key add': addOneKey,
  'key list': listAllKeys,
  'key revoke': revokeOneKey,
  'policy show': showPolicy,
  'policy set': setPolicy,
  settings,
}

/**
 * `tracegate admin …`: names of products, people, tokens, DSN keys, gate policy and settings of the embedded service, in its
 * data directory. Whoever may write there has all rights, so there is no other check. Resolves to 1 when something is refused.
 */
export async function run(config: Config, io: Io): Promise<number> {
  const { name, subcommand } = find(config.operands)
  const operands = config.operands.slice(name.split(' ').length)
  const [least, most] = subcommand.operands
  if (operands.length < least || operands.length > most) {
    throw new ConfigError(`use: tracegate admin ${`${name} ${subcommand.takes}`.trim()}`)
  }
  const db = await openDatabase(config)
  try {
    await subcommand.run({ config, io, db, operands, call: adminCall() })
    return 0
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    io.stderr.write(`tracegate: ${plain(error.message)}\n`)
    return 1
  } finally {
    await db.close()
  }
}

function find(operands: readonly string[]): { name: string; subcommand: Subcommand } {
  for (const length of [2, 1]) {
    const name = operands.slice(0, length).join(' ')
    const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined
    if (subcommand !== undefined) return { name, subcommand }
  }
  throw new ConfigError(`admin needs one of: ${Object.keys(subcommands).join(', ')}; see: tracegate help`)
}
