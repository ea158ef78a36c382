import { clean, inOneLine } from '../../lib/outside-text/clean.ts'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError, type Config } from '../../config.ts'
import type { Writing } from '../../service/shared/context.ts'
import { systemPlatform } from '../../service/shared/platform.ts'
import type { Database } from '../../service/sql/database.ts'
import { openDatabase as open } from '../../service/sql/open/index.ts'
import { systemActor } from '../../service/workspace/actor.ts'
import type { StoredProduct } from '../../service/workspace/products.ts'
import { findByName, missingProduct } from '../support/choose-product.ts'
import type { Io } from '../support/io.ts'
import { requireNoOlderServer } from '../support/endpoints.ts'

/** What a subcommand of `tracegate admin` works with. */
export interface Admin {
  config: Config
  io: Io
  db: Database
  /** The words after the subcommand. */
  operands: readonly string[]
  /** Whose writes these are: the system's, by the command. */
  call: Writing
}

export interface Subcommand {
  /** What follows its name, for the usage line. */
  takes: string
  /** The fewest and the most operands. */
  operands: readonly [least: number, most: number]
  run(this: void, admin: Admin): Promise<void>
}

/** The service's database, without the service: `serve` may run meanwhile. Throws `ConfigError` where there is none. */
export async function openDatabase({ dataDir, databaseUrl }: Config): Promise<Database> {
  if (databaseUrl !== undefined) return open(databaseUrl)
  const file = join(dataDir, 'tracegate.db')
  if (existsSync(file)) {
    await requireNoOlderServer(dataDir)
    return open(file)
  }
  throw new ConfigError(
    `there is no database in ${dataDir}: start with tracegate init, or name the directory with --data`,
  )
}

/** The writes of a command: an audit row says that they came from this command. */
export function adminCall(): Writing {
  return {
    actor: { ...systemActor, id: 'admin', display_name: 'tracegate admin' },
    via: '',
    byAgent: false,
    now: () => systemPlatform.now(),
    newId: () => systemPlatform.newId(),
  }
}

/** The product that `--product` names by id or exact name, else the only one. Throws `ConfigError` with the list. */
export async function adminProduct({ config, db }: Pick<Admin, 'config' | 'db'>): Promise<StoredProduct> {
  const products = await db.read.selectFrom('product').selectAll().orderBy('id').execute()
  const found = findByName(products, config.product)
  if (found !== undefined) return found
  throw new ConfigError(missingProduct(products, config.product))
}

/** A name as the API takes it. Throws a `ConfigError` that begins with the command. */
export function checkedName(given: string, command: string): string {
  const name = given.trim().normalize('NFC')
  // Whoever decides by the name has to see the same letters in the same order as it has.
  if (inOneLine(clean(name)) !== name) {
    throw new ConfigError(`${command}: the name has an invisible or a control character; type it without`)
  }
  if (name !== '' && name.length <= 80) return name
  throw new ConfigError(`${command}: use a name of 1 to 80 characters`)
}
