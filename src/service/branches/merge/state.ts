import type { EntityTypeName } from '../changes.ts'
import type { Settler, Subject } from './settle.ts'
import type { MainEntity, MergedChange, MergeInput, MergeNote, NamedChange } from './types.ts'

/** A merge under way: what becomes of each change, and what exists after it. */
export interface Merging {
  input: MergeInput
  settler: Settler
  /** By `address`. */
  merged: Map<string, MergedChange>
  notes: MergeNote[]
}

/** The name of a requirement or test in a map of both. */
export function address(type: EntityTypeName, id: string): string {
  return `${type}/${id}`
}

export function mainEntity({ input }: Merging, type: EntityTypeName, id: string): MainEntity | undefined {
  return input.main[type].get(id)
}

/** Whether the requirement or test exists after the merge. */
export function isAlive(merging: Merging, type: EntityTypeName, id: string): boolean {
  const action = merging.merged.get(address(type, id))?.action
  if (action === 'create' || action === 'restore') return true
  const main = mainEntity(merging, type, id)
  return main !== undefined && !main.isDeleted && action !== 'delete'
}

/** Whether main has deleted it and the merge does not restore it. */
export function isDeletedInMain(merging: Merging, type: EntityTypeName, id: string): boolean {
  return mainEntity(merging, type, id)?.isDeleted === true && !isAlive(merging, type, id)
}

/** The key of a requirement or test; the id of one that neither main nor the branch knows. */
export function keyFor(merging: Merging, type: EntityTypeName, id: string): string {
  if (id === '') return ''
  return mainEntity(merging, type, id)?.key ?? merging.merged.get(address(type, id))?.change.key ?? id
}

/** The requirement or test itself if it exists after the merge, else the nearest one above it, else the top level. */
export function nearestAlive(merging: Merging, type: EntityTypeName, id: string): string {
  const seen = new Set<string>()
  let at = id
  while (at !== '' && !isAlive(merging, type, at)) {
    if (seen.has(at)) return ''
    seen.add(at)
    const created = merging.merged.get(address(type, at))?.change.fields['parent_id']
    at = mainEntity(merging, type, at)?.parentId ?? (typeof created === 'string' ? created : '')
  }
  return at
}

export function subjectFor({ entityType, entityId: id, key }: NamedChange): Subject {
  return { entityType, id, key }
}

/** The parent that the branch gives; undefined if it does not move the requirement or test. */
export function branchParent({ fields }: NamedChange): string | undefined {
  const parent = fields['parent_id']
  return typeof parent === 'string' ? parent : undefined
}
