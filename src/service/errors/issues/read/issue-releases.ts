import { placeNames } from '../../../workspace/releases/names.ts'
import type { Rows } from '../../../sql/database.ts'
import { readPresence } from './presence.ts'

const RELEASES_SHOWN = 20

/** Releases and environments the issue occurred in, at most 20, the ones with the newest occurrences. */
export async function readIssueReleases(rows: Rows, issueId: string) {
  const places = (await readPresence(rows, issueId)).filter((place) => place.release_id !== '').slice(0, RELEASES_SHOWN)
  const { releases, environments } = await placeNames(rows, places)
  return places.map((place) => ({
    id: place.release_id,
    version: releases.get(place.release_id)?.version ?? '',
    known: releases.get(place.release_id)?.known ?? false,
    environment: environments.get(place.environment_id)?.name ?? '',
    environment_known: environments.get(place.environment_id)?.known ?? false,
    events: place.count,
  }))
}
