import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import type * as z from 'zod'
import type { MergePreview } from '../../../contract/branches.ts'
import type { EntityName } from '../names.ts'
import type { MergedChange, MergeResult } from '../merge/index.ts'

type Preview = z.input<typeof MergePreview>
type FieldChange = Preview['changes'][number]['field_changes'][number]

export type Names = ReadonlyMap<string, EntityName>

/** Members of a test that reports give: text of outsiders, until members vouch for it (contract §4.4). */
const reported = new Set(['title', 'automation_ref', 'framework', 'tags', 'labels'])

/** One merged change, as the preview shows it. */
export function viewChange(
  { change, fields, members, action }: MergedChange,
  names: Names,
): Preview['changes'][number] {
  const name = names.get(change.entityId)
  const shown = fields.filter(({ branch, resolution }) => !isEmpty(branch) || resolution !== 'FIELD_RESOLUTION_BRANCH')
  const statement = fields.find(({ field }) => field === 'statement')
  const isWritten = action !== 'none' && 'statement' in members
  return {
    entity_type: change.entityType,
    entity_id: change.entityId,
    key: change.key,
    title: name?.known === false ? '' : (name?.title ?? ''),
    operation: change.operation,
    field_changes: shown.map(({ field, base, main, branch, merged, resolution }) =>
      withhold({ field, base, main, branch, merged, resolution }, name),
    ),
    statement_diff: isWritten && statement !== undefined ? unifiedDiff(statement.main, statement.merged) : '',
  }
}

/** The conflicts, without what only reports say of a test. */
export function viewConflicts({ conflicts }: MergeResult, names: Names): Preview['conflicts'] {
  return conflicts.map((conflict) => {
    const [field = ''] = conflict.field.split('.')
    const isHidden = names.get(conflict.entity_id)?.known === false && (reported.has(field) || field === '')
    if (!isHidden) return conflict
    const isWhole = field === ''
    return { ...conflict, base: null, main: null, branch: isWhole ? null : conflict.branch, suggested_value: null }
  })
}

function withhold(change: FieldChange, name: EntityName | undefined): FieldChange {
  if (name?.known !== false || !reported.has(change.field)) return change
  const merged = change.resolution === 'FIELD_RESOLUTION_BRANCH' ? change.merged : null
  return { ...change, base: null, main: null, merged }
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)
}

function unifiedDiff(before: unknown, after: unknown): string {
  const [one, other] = [before, after].map((text) => (typeof text === 'string' ? text : ''))
  if (one === other) return ''
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY }
  return createTwoFilesPatch('main', 'merged', one ?? '', other ?? '', undefined, undefined, options)
}
