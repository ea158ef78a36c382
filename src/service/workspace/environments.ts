import type { Selectable } from 'kysely'
import type { Platform } from '../shared/context.ts'
import type { Rows } from '../sql/database.ts'
import type { EnvironmentRow } from '../sql/schema.ts'
import { defaultWeight, guessKind, nameKey, type Kind, type OriginOf } from './rules.ts'

/** An environment as its table holds it. */
export type StoredEnvironment = Selectable<EnvironmentRow>

export interface EnvironmentFacts {
  productId: number
  name: string
  /** Who names it; anything but EVENT adopts one that so far only events named (contract §6). */
  origin: OriginOf
  kind?: Kind | undefined
  exposureWeight?: number | undefined
  description?: string | undefined
}

/**
 * The product's environment of that name, made or adopted where needed; `before` is what was there. An existing one that
 * needs no adoption is left as it is. Runs inside the caller's transaction.
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
  const adopts = before.origin === ('ORIGIN_EVENT' satisfies OriginOf) && facts.origin !== 'ORIGIN_EVENT'
  return { environment: adopts ? await adopt(rows, platform, facts, before) : before, before }
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

/** The name is spelled as the one who vouches for it does; what they do not say was guessed from the same name. */
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
