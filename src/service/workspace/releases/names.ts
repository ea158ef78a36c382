import { isKnownEnvironment, isKnownRelease } from './rules.ts'
import type { Rows } from '../../sql/database.ts'

export interface EnvironmentName {
  id: string
  name: string
  known: boolean
}

export interface ReleaseName {
  id: string
  version: string
  known: boolean
  environmentId: string
}

export interface ComponentRef {
  id: string
  key: string
  title: string
}

const distinct = (ids: Iterable<string>) => [...new Set(ids)].filter((id) => id !== '')

/** Environments by id, deleted ones too: occurrences keep the name (contract §6). */
export async function environmentNames(rows: Rows, ids: Iterable<string>): Promise<Map<string, EnvironmentName>> {
  const wanted = distinct(ids)
  if (wanted.length === 0) return new Map()
  const found = await rows
    .selectFrom('environment')
    .select(['id', 'name', 'origin'])
    .where('id', 'in', wanted)
    .execute()
  return new Map(found.map((row) => [row.id, { id: row.id, name: row.name, known: isKnownEnvironment(row) }]))
}

/** Releases by id. */
export async function releaseNames(rows: Rows, ids: Iterable<string>): Promise<Map<string, ReleaseName>> {
  const wanted = distinct(ids)
  if (wanted.length === 0) return new Map()
  const found = await rows
    .selectFrom('release')
    .select(['id', 'version', 'origin', 'environment_id'])
    .where('id', 'in', wanted)
    .execute()
  return new Map(
    found.map((row) => [
      row.id,
      { id: row.id, version: row.version, known: isKnownRelease(row), environmentId: row.environment_id },
    ]),
  )
}

/** Names by id. */
export interface PlaceNames {
  environments: ReadonlyMap<string, EnvironmentName>
  releases: ReadonlyMap<string, ReleaseName>
}

/** The environments and releases of places, which are asked for at once. */
export async function placeNames(
  rows: Rows,
  places: readonly { environment_id: string; release_id: string }[],
): Promise<PlaceNames> {
  const [environments, releases] = await Promise.all([
    environmentNames(
      rows,
      places.map((place) => place.environment_id),
    ),
    releaseNames(
      rows,
      places.map((place) => place.release_id),
    ),
  ])
  return { environments, releases }
}

/** Components by id, as references: the key is the slug. */
export async function componentRefs(rows: Rows, ids: Iterable<string>): Promise<Map<string, ComponentRef>> {
  const wanted = distinct(ids)
  if (wanted.length === 0) return new Map()
  const found = await rows.selectFrom('component').select(['id', 'slug', 'name']).where('id', 'in', wanted).execute()
  return new Map(found.map((row) => [row.id, componentRef(row)]))
}

/** A row of `component` as a reference. */
export function componentRef({ id, slug, name }: { id: string; slug: string; name: string }): ComponentRef {
  return { id, key: slug, title: name }
}
