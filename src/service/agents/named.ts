import type { Selectable } from 'kysely'
import type * as z from 'zod'
import type { NamedRef } from '../../contract/base/common.ts'
import { notFound } from '../../errors.ts'
import type { Rows } from '../sql/database.ts'
import type { EnvironmentRow } from '../sql/schema.ts'
import { isKnownEnvironment, nameKey } from '../workspace/releases/rules.ts'

/** The environment of a product that an agent's input names by its id or name; `not_found` without one. */
export async function requireNamedEnvironment(
  rows: Rows,
  productId: number,
  named: string,
): Promise<Selectable<EnvironmentRow>> {
  const found = await rows
    .selectFrom('environment')
    .selectAll()
    .where('product_id', '=', productId)
    .where('deleted_at', 'is', null)
    .where((eb) => eb.or([eb('id', '=', named), eb('name_key', '=', nameKey(named))]))
    .execute()
  const environment = found.find(({ id }) => id === named) ?? found[0]
  if (environment === undefined) throw notFound('environment', named, 'list the environments of the product')
  return environment
}

/** An environment as outputs of agents name it. */
export function environmentRef(environment: Selectable<EnvironmentRow>): z.input<typeof NamedRef> {
  return { id: environment.id, key: '', title: environment.name, known: isKnownEnvironment(environment) }
}
