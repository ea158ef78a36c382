import { sql, type Selectable } from 'kysely'
import type { InputOf } from '../../../contract/index.ts'
import { ServiceError } from '../../../errors.ts'
import type { Platform, Writing } from '../../shared/context.ts'
import { cutPage, textCursor, type Page } from '../../shared/paging.ts'
import { countRows } from '../../sql/count-rows.ts'
import type { Rows } from '../../sql/database.ts'
import type { EnvironmentRow } from '../../sql/schema.ts'
import { audit } from '../audit.ts'
import { recordExclusion } from '../exclusions.ts'
import {
  adopts,
  defaultWeight,
  guessKind,
  isExposed,
  nameKey,
  type EnvironmentKindName,
  type RecordOrigin,
} from './rules.ts'

/** A row of `environment`. */
export type StoredEnvironment = Selectable<EnvironmentRow>

export interface EnvironmentFacts {
  productId: number
  name: string
  /** Where the name comes from; a member's adopts an environment that nobody vouched for (contract §6). */
  origin: RecordOrigin
  kind?: EnvironmentKindName | undefined
  exposureWeight?: number | undefined
  description?: string | undefined
}

/**
 * Returns the product's environment of that name, and creates or adopts it if necessary; `before` is the earlier row.
 * An environment that needs no adoption stays as it is. Runs inside the caller's transaction.
 */
export async function ensureEnvironment(
  rows: Rows,
  platform: Platform,
  facts: EnvironmentFacts,
): Promise<{ environment: StoredEnvironment; before: StoredEnvironment | undefined }> {
  const before = await rows
    .selectFrom('environment')
    .selectAll()
    .where('product_id', '=', facts.productId)
    .where('name_key', '=', nameKey(facts.name))
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (before === undefined) return { environment: await insert(rows, platform, facts), before }
  return { environment: adopts(before, facts.origin) ? await adopt(rows, platform, facts, before) : before, before }
}

/** Creates an environment, or adopts one that nobody vouched for. Throws `ENVIRONMENT_EXISTS` for any other. */
export async function createEnvironment(
  rows: Rows,
  call: Writing,
  facts: Omit<EnvironmentFacts, 'origin'>,
): Promise<StoredEnvironment> {
  const { environment, before } = await ensureEnvironment(rows, call, { ...facts, origin: 'ORIGIN_MANUAL' })
  if (before !== undefined && !adopts(before, 'ORIGIN_MANUAL')) throw nameTaken(before.id)
  const verb = before === undefined ? 'create' : 'update'
  if (before !== undefined && isExposed(before) && !isExposed(environment))
    await noteLoss(rows, call, environment, 'environment_lowered')
  const change = { before, after: environment }
  await audit(rows, call, { verb, resourceType: 'environment', resourceId: environment.id, ...change })
  return environment
}

/** One page of a product's environments that match the filter, by name. */
export async function listEnvironmentRows(
  rows: Rows,
  query: { productId: number; filter: Pick<InputOf<'listEnvironments'>, 'kind' | 'name'>; page: Page },
) {
  const { productId, page } = query
  const after = await textCursor(page, (id) =>
    rows.selectFrom('environment').select('name_key as text').where('id', '=', id).executeTakeFirst(),
  )
  const { kind, name } = query.filter
  const all = rows
    .selectFrom('environment')
    .where('product_id', '=', productId)
    .where('deleted_at', 'is', null)
    .$if(kind !== undefined, (found) => found.where('kind', '=', kind ?? ''))
    .$if(name !== undefined, (found) => found.where('name_key', '=', nameKey(name ?? '')))
  const finding = all
    .selectAll()
    .$if(after !== undefined, (paged) =>
      paged.where(sql<boolean>`(name_key, id) > (${after?.sortValue}, ${after?.id})`),
    )
    .orderBy('name_key')
    .orderBy('id')
    .limit(page.size + 1)
    .execute()
  const [total, found] = await Promise.all([countRows(all), finding])
  return cutPage(page, found, total, ({ name_key, id }) => ({ sortValue: name_key, id }))
}

/**
 * Deletes an environment softly: its name is free again, and occurrences keep it (contract §6). The gate no longer sees
 * issues there, which is an exclusion when anybody vouches for one.
 */
export async function deleteEnvironment(rows: Rows, call: Writing, before: StoredEnvironment): Promise<void> {
  const now = call.now()
  await noteLoss(rows, call, before, 'environment_deleted')
  await rows
    .updateTable('environment')
    .set({ deleted_at: now, updated_at: now, version: before.version + 1 })
    .where('id', '=', before.id)
    .execute()
  await audit(rows, call, { verb: 'delete', resourceType: 'environment', resourceId: before.id, before })
}

/** What no environment has as its id. */
const NO_ENVIRONMENT = 'none'

/**
 * The id that a filter by an environment compares with. A deleted environment matches nothing, although what was in it keeps
 * its id (contract §6): then it is an id that nothing has.
 */
export async function idToMatch(rows: Rows, environmentId: string | undefined): Promise<string | undefined> {
  if (environmentId === undefined) return undefined
  const found = await rows
    .selectFrom('environment')
    .select('id')
    .where('id', '=', environmentId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return found?.id ?? NO_ENVIRONMENT
}

async function noteLoss(
  rows: Rows,
  call: Writing,
  { id, product_id: productId }: StoredEnvironment,
  kind: 'environment_deleted' | 'environment_lowered',
): Promise<void> {
  const vouched = await rows
    .selectFrom('vouched_environment')
    .select('issue_id')
    .where('environment_id', '=', id)
    .limit(1)
    .executeTakeFirst()
  if (vouched !== undefined) await recordExclusion(rows, call, { productId, itemType: 'environment', itemId: id, kind })
}

function nameTaken(existingId: string): ServiceError {
  return new ServiceError('already_exists', `an environment of this name exists: ${existingId}; use that one`, {
    reason: 'ENVIRONMENT_EXISTS',
    metadata: { existing_id: existingId },
    violations: [{ field: 'name', description: 'is taken' }],
  })
}

function insert(rows: Rows, platform: Platform, facts: EnvironmentFacts): Promise<StoredEnvironment> {
  const kind = facts.kind ?? guessKind(facts.name)
  const now = platform.now()
  return rows
    .insertInto('environment')
    .values({
      id: platform.newId(),
      product_id: facts.productId,
      name: facts.name,
      name_key: nameKey(facts.name),
      kind,
      exposure_weight: facts.exposureWeight ?? defaultWeight(kind),
      description: facts.description ?? '',
      origin: facts.origin,
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Takes over the member's spelling of the name; the members left out keep what was guessed from the same name. */
function adopt(rows: Rows, platform: Platform, facts: EnvironmentFacts, before: StoredEnvironment) {
  const kind = facts.kind ?? guessKind(facts.name)
  return rows
    .updateTable('environment')
    .set({
      name: facts.name,
      kind,
      exposure_weight: facts.exposureWeight ?? defaultWeight(kind),
      description: facts.description ?? before.description,
      origin: facts.origin,
      version: before.version + 1,
      updated_at: platform.now(),
    })
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}
