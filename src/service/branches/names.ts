import { entityKey, requirementKey, testKey } from '../quality/keys.ts'
import { chunks } from '../sql/chunks.ts'
import type { Rows } from '../sql/database.ts'
import type { Change, EntityTypeName } from './changes.ts'

/** What a requirement or test is called on a branch. */
export interface EntityName {
  key: string
  title: string
  /** Whether members gave the names of a test; true for a requirement. */
  known: boolean
  /** Whether the main tree or the branch has deleted it. */
  isGone: boolean
}

type Named = Pick<Change, 'entityType' | 'entityId'>

/** The names of requirements and tests on a branch, by id: those of the main tree, with what the branch changes of them. */
export async function readEntityNames(
  rows: Rows,
  wanted: readonly Named[],
  changes: readonly Change[],
): Promise<Map<string, EntityName>> {
  const names = await mainNames(rows, wanted)
  const ids = new Set(wanted.map(({ entityId }) => entityId))
  for (const change of changes) {
    if (!ids.has(change.entityId)) continue
    const name = names.get(change.entityId)
    const title = change.fields['title'] ?? name?.title ?? change.base['title']
    names.set(change.entityId, {
      key: name?.key ?? entityKey(change.entityType, -change.provisionalNumber),
      title: typeof title === 'string' ? title : '',
      known: name?.known ?? true,
      isGone: (name?.isGone ?? false) || change.operation === 'CHANGE_OPERATION_DELETE',
    })
  }
  return names
}

async function mainNames(rows: Rows, wanted: readonly Named[]): Promise<Map<string, EntityName>> {
  const names = new Map<string, EntityName>()
  const idsOfType = (type: EntityTypeName) => [
    ...new Set(wanted.filter(({ entityType }) => entityType === type).map(({ entityId }) => entityId)),
  ]
  for (const chunk of chunks(idsOfType('requirement'))) {
    const found = await rows
      .selectFrom('requirement')
      .select(['id', 'number', 'title', 'deleted_at'])
      .where('id', 'in', chunk)
      .execute()
    for (const { id, number, title, deleted_at } of found)
      names.set(id, { key: requirementKey({ number }), title, known: true, isGone: deleted_at !== null })
  }
  for (const chunk of chunks(idsOfType('test'))) {
    const found = await rows
      .selectFrom('test')
      .select(['id', 'number', 'title', 'names_known', 'deleted_at'])
      .where('id', 'in', chunk)
      .execute()
    for (const { id, number, title, names_known, deleted_at } of found)
      names.set(id, { key: testKey({ number }), title, known: names_known === 1, isGone: deleted_at !== null })
  }
  return names
}
