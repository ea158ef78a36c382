import type { Selectable } from 'kysely'
import type * as z from 'zod'
import type { NamedRef } from '../../contract/base/common.ts'
import { notFound, ServiceError } from '../../errors.ts'
import { requireOpenBranch, type StoredBranch } from '../branches/store/branches.ts'
import type { Rows } from '../sql/database.ts'
import type { EnvironmentRow, ReleaseRow } from '../sql/schema.ts'
import { isKnownEnvironment, isKnownRelease, nameKey } from '../workspace/releases/rules.ts'
import type { AgentContext } from './define.ts'

/** The environment of a product by its id or name, as an agent's input names it. Throws `not_found`. */
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

/**
 * The release of a product by its id or version, as an agent's input names it, in an environment that is not deleted. Throws
 * `not_found`, and `invalid_argument` for a version that is in several environments unless `environmentId` chooses one.
 */
export async function requireNamedRelease(
  rows: Rows,
  productId: number,
  { named, environmentId }: { named: string; environmentId: string | undefined },
): Promise<Selectable<ReleaseRow>> {
  const found = await rows
    .selectFrom('release')
    .innerJoin('environment', 'environment.id', 'release.environment_id')
    .selectAll('release')
    .where('release.product_id', '=', productId)
    .where('environment.deleted_at', 'is', null)
    .where((eb) => eb.or([eb('release.id', '=', named), eb('release.version', '=', named)]))
    .$if(environmentId !== undefined, (query) => query.where('environment_id', '=', environmentId ?? ''))
    .execute()
  const release = found.find(({ id }) => id === named) ?? found[0]
  if (release === undefined) throw notFound('release', named, 'list the releases of the product')
  if (found.length === 1 || release.id === named) return release
  const message = `${named} is in ${found.length} environments; name one with environment, or give a release id`
  throw new ServiceError('invalid_argument', message, {
    reason: 'FIELD_INVALID',
    violations: [{ field: 'release', description: 'must name one release' }],
  })
}

/** A release as outputs of agents name it, with the version as title. */
export function releaseRef(release: Selectable<ReleaseRow>): z.input<typeof NamedRef> {
  return { id: release.id, key: '', title: release.version, known: isKnownRelease(release) }
}

/** The open branch of a product that an agent's input names by its id or name; `not_found` or `BRANCH_NOT_OPEN` without one. */
export async function requireNamedBranch(
  { rows, call, product }: Pick<AgentContext, 'rows' | 'call' | 'product'>,
  named: string,
): Promise<StoredBranch> {
  const found = await rows
    .selectFrom('branch')
    .select(['id', 'name', 'state'])
    .where('product_id', '=', product.id)
    .where((where) => where.or([where('id', '=', named), where('name', '=', named)]))
    .execute()
  const isOpen = ({ state }: { state: string }) => state === 'BRANCH_STATE_OPEN'
  const branch = found.find(({ id }) => id === named) ?? found.find(isOpen) ?? found[0]
  if (branch === undefined) throw notFound('branch', named, 'list the branches of the product, or omit it')
  return (await requireOpenBranch(rows, call.principal, branch.id)).branch
}
