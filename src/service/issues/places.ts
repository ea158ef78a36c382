import type { Platform } from '../context.ts'
import { defaultEnvironmentName, defaultWeight, guessKind, nameKey } from '../directory/rules.ts'
import type { OriginOf } from '../directory/rules.ts'
import type { Statement } from '../sql/database.ts'

type Prepare = (sql: string) => Statement

/** Where an occurrence happened. Empty ids: the product does not let events create environments, and none has the name. */
export interface Place {
  environmentId: string
  environmentName: string
  releaseId: string
}

export interface NamedPlace {
  environment: string
  release: string
  received_at: number
}

const byEvent = 'ORIGIN_EVENT' satisfies OriginOf

/**
 * The environment and release an event names, created with origin EVENT where they do not exist (CONTRACT §6). A deleted
 * environment is created anew. Runs inside the caller's transaction.
 */
export function placeOf(
  prepare: Prepare,
  platform: Platform,
  product: { id: number; createsEnvironments: boolean },
  event: NamedPlace,
): Place {
  const environmentName = event.environment === '' ? defaultEnvironmentName : event.environment
  const environmentId = environmentOf(prepare, platform, product, environmentName)
  const releaseId =
    environmentId === '' || event.release === ''
      ? ''
      : releaseOf(prepare, platform, product.id, environmentId, event.release)
  return { environmentId, environmentName, releaseId }
}

function environmentOf(
  prepare: Prepare,
  platform: Platform,
  product: { id: number; createsEnvironments: boolean },
  name: string,
): string {
  const key = nameKey(name)
  const known = prepare('SELECT id FROM environment WHERE product_id = ? AND name_key = ? AND deleted_at IS NULL').get<{
    id: string
  }>(product.id, key)
  if (known !== undefined) return known.id
  if (!product.createsEnvironments) return ''
  const id = platform.newId()
  const [kind, now] = [guessKind(name), platform.now()]
  prepare(
    `INSERT INTO environment (id, product_id, name, name_key, kind, exposure_weight, origin, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(id, product.id, name, key, kind, defaultWeight(kind), byEvent, now, now)
  return id
}

function releaseOf(prepare: Prepare, platform: Platform, productId: number, environmentId: string, version: string) {
  const known = prepare('SELECT id FROM release WHERE product_id = ? AND version = ? AND environment_id = ?').get<{
    id: string
  }>(productId, version, environmentId)
  if (known !== undefined) return known.id
  const id = platform.newId()
  const now = platform.now()
  prepare(
    `INSERT INTO release (id, product_id, environment_id, version, origin, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  ).run(id, productId, environmentId, version, byEvent, now, now)
  return id
}
