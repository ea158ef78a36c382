import { testTitle } from '../../quality/cases/title.ts'
import type { Members } from '../members.ts'
import { caseAt, decideExistence } from './existence.ts'
import { isSame, mergeMember } from './member.ts'
import { checkReferences, liveLinks } from './references.ts'
import { createSettler } from './settle.ts'
import { address, isDeletedInMain, keyFor, mainEntity, subjectFor, type Merging } from './state.ts'
import { placeInTree } from './tree.ts'
import type { FieldOutcome, MergedChange, MergeInput, MergeResult, Sides } from './types.ts'
import * as words from './words.ts'

export type { MainEntity, MainTree, MergedChange, MergeNote, MergeResult, NamedChange, Resolutions } from './types.ts'

/**
 * Merges the changes of a branch into the main tree, member by member against what main had when the branch first touched
 * it (contract §5.3). Pure: the result says what to write. A resolution that is not possible is
 * `invalid_argument`; one of a conflict that does not exist, or not any more, has no effect.
 */
export function mergeTrees(input: MergeInput): MergeResult {
  const settler = createSettler(input.resolutions)
  const merging: Merging = { input, settler, merged: new Map(), notes: [] }
  decideExistence(merging)
  const changes = [...merging.merged.values()]
  for (const one of changes) mergeMembers(merging, one)
  for (const one of changes) checkReferences(merging, one)
  const lifts = [...placeInTree(merging, 'requirement'), ...placeInTree(merging, 'test')]
  const links = liveLinks(merging)
  const order = new Map(input.changes.map(({ id }, at) => [id, at]))
  const sorted = changes.toSorted((a, b) => (order.get(a.change.id) ?? 0) - (order.get(b.change.id) ?? 0))
  const { conflicts, unresolved } = settler
  return { changes: sorted, lifts, links, conflicts, unresolved, notes: merging.notes }
}

function mergeMembers(merging: Merging, one: MergedChange): void {
  const { change, action, targetId, members } = one
  if (action === 'none' || action === 'delete') return
  if (action === 'create') {
    one.members = { ...change.fields, ...members }
    one.fields = Object.entries(change.fields).map(([field, branch]) => newMember(field, branch))
    return
  }
  const main = mainEntity(merging, change.entityType, targetId)?.members ?? {}
  const base = change.operation === 'CHANGE_OPERATION_CREATE' ? newTest(change.fields) : change.base
  one.fields = Object.keys(change.fields).map((name) =>
    mergeOne(merging, one, name, { base: base[name] ?? null, main: main[name] ?? null, branch: change.fields[name] }),
  )
  const changed = one.fields.filter(({ field, merged }) => !isSame(field, merged, main[field]))
  one.members = Object.fromEntries(changed.map(({ field, merged }) => [field, merged]))
}

function mergeOne(merging: Merging, { change, targetId }: MergedChange, name: string, sides: Sides): FieldOutcome {
  const { base, main, branch } = sides
  if (name === 'parent_id' && base !== branch && isDeletedInMain(merging, change.entityType, String(branch))) {
    // The tree asks where to put it.
    return { field: name, ...sides, merged: branch, resolution: 'FIELD_RESOLUTION_BRANCH' }
  }
  const subject = subjectFor(change)
  const owner = name === 'automation_ref' ? caseAt(merging, branch) : undefined
  const isTaken =
    owner !== undefined && owner !== targetId && merging.merged.get(address('test', owner))?.action !== 'delete'
  if (!isTaken) return mergeMember(merging.settler, { subject, name, needsDecision: change.needsDecision }, sides)
  const other = keyFor(merging, 'test', owner)
  const { isResolved } = merging.settler.settle(subject, {
    type: 'CONFLICT_TYPE_FIELD',
    field: name,
    ...sides,
    suggested: 'RESOLUTION_USE_MAIN',
    message: words.placeTaken(change.key, other),
    refused: { RESOLUTION_USE_BRANCH: `${other} has this code location` },
  })
  const resolution = isResolved ? 'FIELD_RESOLUTION_MAIN' : 'FIELD_RESOLUTION_CONFLICT'
  return { field: name, ...sides, merged: main, resolution }
}

function newMember(field: string, branch: unknown): FieldOutcome {
  return { field, base: null, main: null, branch, merged: branch, resolution: 'FIELD_RESOLUTION_BRANCH' }
}

/** The common base of a test that both sides created: its code location, and defaults for all other members. */
function newTest({ kind, automation_ref }: Members): Members {
  const name = (automation_ref as { name: string }).name
  return {
    kind,
    automation_ref,
    title: testTitle(name),
    description: '',
    level: 'TEST_LEVEL_UNKNOWN',
    status: 'TEST_STATUS_ACTIVE',
    automation: 'AUTOMATION_STATUS_AUTOMATED',
    framework: '',
    preconditions: '',
    steps: [],
    tags: [],
    labels: {},
    component_ids: [],
    issue_id: '',
    quarantine: null,
    parent_id: '',
    position: 0,
  }
}
