import type { Prepare } from '../../../../sql/database.ts'
import { createAnswers, type Answers } from './answers.ts'

/** By the `nameKey` of the environment; '' for no release. */
export type PlaceKey = readonly [productId: number, environmentKey: string, release: string]

/** A place whose environment, release and row of `place` exist. */
export interface KnownPlace {
  /** Of the row of `place`. */
  id: number
  environment_id: string
  environment_origin: string
  /** '' where no release was asked for. */
  release_id: string
  release_origin: string | null
  vouched_at: number | null
}

/** Reads places whose rows all exist, many at a time. Valid for one transaction. */
export function createKnownPlaces(prepare: Prepare): Answers<PlaceKey, KnownPlace | undefined> {
  return createAnswers((keys) =>
    prepare(
      `SELECT place.id, environment.id AS environment_id, environment.origin AS environment_origin, place.release_id,
         release.origin AS release_origin, release.vouched_at
       FROM environment
       LEFT JOIN release ON release.product_id = environment.product_id AND release.version = ?3
         AND release.environment_id = environment.id AND ?3 <> ''
       JOIN place ON place.environment_id = environment.id
         AND place.release_id = CASE WHEN ?3 = '' THEN '' ELSE release.id END
       WHERE environment.product_id = ?1 AND environment.name_key = ?2 AND environment.deleted_at IS NULL`,
    ).getEach<KnownPlace>(keys),
  )
}
