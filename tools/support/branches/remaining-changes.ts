import { keyOrId } from '../columns.ts'
import { resolvedText, type MergePreview, type ResolvedConflict } from './merge-preview.ts'

export type Change = NonNullable<MergePreview['changes']>[number]

/**
 * The changes that are left once the conflicts are decided: without those that are decided as in main, without what is
 * below something that is not created, and with the decided titles.
 */
export function remainingChanges({ changes = [] }: MergePreview, resolved: readonly ResolvedConflict[]): Change[] {
  const notCreated = new Set<unknown>()
  return changes.flatMap((change) => {
    const own = resolved.filter(({ conflict }) => entityName(conflict) === entityName(change))
    const parent = change.field_changes?.find(({ field }) => field === 'parent_id')?.branch
    const left = notCreated.has(parent) ? undefined : decidedChange(change, own)
    if (left === undefined && isCreation(change)) notCreated.add(change.entity_id)
    return left ?? []
  })
}

/** The change with what its decisions leave of it; undefined where they leave nothing. */
function decidedChange(change: Change, decisions: readonly ResolvedConflict[]): Change | undefined {
  const kept = decisions.filter(({ wanted }) => wanted?.use === 'main').map(({ conflict }) => conflict)
  if (kept.some(({ field, type }) => !field || (isCreation(change) && type === 'CONFLICT_TYPE_PARENT_DELETED')))
    return undefined
  const { field_changes: members = [] } = change
  const left = members.filter((member) => !kept.some(({ field }) => field === member.field))
  // The place among its siblings alone is no change that a person would name.
  if (left.length < members.length && left.every(({ field }) => field === 'position')) return undefined
  const title = decisions.find(({ conflict: { field }, wanted }) => field === 'title' && wanted !== undefined)
  return { ...change, field_changes: left, ...(title && { title: resolvedText(title) }) }
}

function entityName({ entity_id: id, key }: Pick<Change, 'entity_id' | 'key'>): string {
  return keyOrId({ id, key })
}

function isCreation({ operation }: Change): boolean {
  return operation === 'CHANGE_OPERATION_CREATE'
}
