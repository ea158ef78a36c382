import { describeChange } from '../../../quality/cases/wording-changes.ts'
import { requirementKey } from '../../../quality/keys.ts'
import { Criteria, parseActor, type Criterion } from '../../../quality/requirements/columns.ts'
import { criterionInWords } from '../../../quality/requirements/content.ts'
import { timestamp } from '../../../shared/times.ts'
import { readJson } from '../../../sql/json.ts'
import type { Merged, StoredRequirement, StoredVersion } from './read.ts'
import type { ChangeBody } from './schema.ts'

/** A merge writes its versions within this time. */
const LONGEST_MERGE_MS = 60_000

/** What changed in a requirement since a version of it, and which of its criteria. */
export interface RequirementChange {
  body: ChangeBody
  /** Ids of the criteria that are new, gone or worded otherwise. */
  changedCriteria: ReadonlySet<string>
  /** Keys of new criteria, where nothing else changed; else empty. */
  onlyAdded: string[]
}

/** What changed since the version at which a link was made; undefined when the wording is still that of the version. */
export function describeSince(
  version: number,
  after: StoredRequirement,
  { versions, merged }: { versions: readonly StoredVersion[]; merged: readonly Merged[] },
): RequirementChange | undefined {
  const before = versions.find((one) => one.version === version)
  if (before === undefined || version === after.version) return undefined
  const criteria = compareCriteria(after, readJson(Criteria, before.acceptance_criteria))
  const isTextSame = before.title === after.title && before.statement === after.statement
  const isAddition = isTextSame && criteria.every(({ change }) => change === 'ADDED')
  return {
    body: {
      since_version: version,
      wording_change: describeChange(before, after),
      title_changed: before.title !== after.title,
      statement_changed: before.statement !== after.statement,
      criteria: criteria.map(({ id: _id, ...change }) => change),
      versions: versions.filter((one) => one.version > version).map((one) => viewVersion(one, merged)),
    },
    changedCriteria: new Set(criteria.map(({ id }) => id)),
    onlyAdded: isAddition ? criteria.map(({ key }) => key) : [],
  }
}

function compareCriteria(requirement: StoredRequirement, before: readonly Criterion[]) {
  const after = readJson(Criteria, requirement.acceptance_criteria)
  const key = (index: number) => `${requirementKey(requirement)}.${String(index + 1)}`
  const was = new Map(before.map((one) => [one.id, criterionInWords(one)]))
  const is = new Set(after.map(({ id }) => id))
  const kept = after.flatMap((one, index) => {
    const [old, now] = [was.get(one.id), criterionInWords(one)]
    if (old === now) return []
    const change: ChangeBody['criteria'][number]['change'] = old === undefined ? 'ADDED' : 'REWORDED'
    return [{ id: one.id, key: key(index), change, before: old ?? '', after: now }]
  })
  const removed = before.flatMap((one, index) =>
    is.has(one.id)
      ? []
      : [{ id: one.id, key: key(index), change: 'REMOVED' as const, before: criterionInWords(one), after: '' }],
  )
  return [...kept, ...removed]
}

function viewVersion({ version, at, actor }: StoredVersion, merged: readonly Merged[]): ChangeBody['versions'][number] {
  const { type, display_name } = parseActor(actor)
  const from = merged.find(
    ({ mergedAt, mergedBy }) => mergedBy === actor && at <= mergedAt && mergedAt - at <= LONGEST_MERGE_MS,
  )
  return {
    version,
    at: timestamp(at),
    by: { type, display_name },
    branch: from === undefined ? null : { id: from.id, name: from.name },
    note: from?.note ?? '',
  }
}
