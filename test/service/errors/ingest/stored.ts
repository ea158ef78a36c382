import { createBodyReader } from '../../../../src/service/errors/issues/bodies/read.ts'
import type { App } from '../../../app.ts'

/** The issues and occurrences of an app: what does not depend on the order of arrival or on random ids. */
export async function stored({ db }: App) {
  const issues = await db.read
    .selectFrom('issue')
    .select(['title', 'type', 'value', 'culprit', 'level', 'platform', 'first_seen', 'last_seen', 'times_seen'])
    .select(['users_affected', 'handled', 'causes', 'grouping', 'suspicious', 'contradicted'])
    .orderBy('type')
    .execute()
  const occurrences = await db.read
    .selectFrom('occurrence')
    .innerJoin('place', 'place.id', 'occurrence.place_id')
    .innerJoin('environment', 'environment.id', 'place.environment_id')
    .innerJoin('release', 'release.id', 'place.release_id')
    .select(['sdk_event_id', 'timestamp', 'received_at', 'user_hash', 'summary', 'size_bytes', 'body', 'dictionary_id'])
    .select(['environment.name', 'release.version'])
    .orderBy('sdk_event_id')
    .execute()
  const read = createBodyReader(db.read)
  const unpacked = []
  for (const { body, dictionary_id, ...facts } of occurrences) {
    const { event, readRaw } = (await read({ body: body!, dictionary_id }))!
    unpacked.push({ ...facts, event, raw: readRaw() })
  }
  const frames = await db.read
    .selectFrom('issue_frame')
    .select(['path', 'function', 'distance'])
    .orderBy('path')
    .orderBy('function')
    .orderBy('distance')
    .execute()
  return { issues, occurrences: unpacked, frames }
}
