import { describeChange } from '../../../quality/cases/wording-changes.ts'
import { requirementKey } from '../../../quality/keys.ts'
import { Criteria, parseActor, type Criterion } from '../../../quality/requirements/columns.ts'
import { criterionInWords } from '../../../quality/requirements/content.ts'
import { timestamp } from '../../../shared/times.ts'
import type { TruncationNotes } from '../../../shared/truncation-notes.ts'
import { readJson } from '../../../sql/json.ts'
import { keepFitting } from '../../output-size.ts'
import type { Merged, StoredRequirement, StoredVersion } from './read.ts'
import type { ChangeBody } from './schema.ts'

/** A merge writes its versions within this time. */
const LONGEST_MERGE_MS = 60_000

/** What each list of a change may use of the output. */
const SHARE = 0.1

/** What changed in a requirement since a version of it, and which of its criteria. */
export interface RequirementChange {
  body: ChangeBody
  /** Ids of the criteria that are new, gone or worded otherwise. */
  changedCriteria: ReadonlySet<string>
  /** Keys of the new criteria if nothing else changed; else empty. */
  onlyAdded: string[]
}

/** What changed since the version at which a link was made; undefined if it was made at the present version. */
export function describeSince(
  version: number,
  after: StoredRequirement,
  { versions, merged }: { versions: readonly StoredVersion[]; merged: readonly Merged[] },
  notes: TruncationNotes,
): RequirementChange | undefined {
  const before = versions.find((one) => one.version === version)
  if (before === undefined || version === after.version) return undefined
  const criteria = compareCriteria(after, readJson(Criteria, before.acceptance_criteria))
  const shown = criteria.map(({ id: _id, ...change }) => change)
  const since = versions.filter((one) => one.version > version)
  const branches = findBranches(versions, merged)
  const isTextSame = before.title === after.title && before.statement === after.statement
  const isAddition = isTextSame && criteria.every(({ change }) => change === 'ADDED')
  return {
    body: {
      since_version: version,
      wording_change: describeChange(before, after),
      title_changed: before.title !== after.title,
      statement_changed: before.statement !== after.statement,
      criteria: keepFitting(notes, 'requirements.changes.criteria', shown, { share: SHARE }),
      versions: keepFitting(
        notes,
        'requirements.changes.versions',
        since.map((one) => viewVersion(one, branches.get(one))),
        { share: SHARE },
      ),
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

/** The branch of each version that a merge made: the last version before the end of the merge, by who merged. */
function findBranches(versions: readonly StoredVersion[], merged: readonly Merged[]): Map<StoredVersion, Merged> {
  const branches = new Map<StoredVersion, Merged>()
  for (const branch of merged) {
    const last = versions.findLast(({ at }) => at <= branch.mergedAt)
    if (last?.actor === branch.mergedBy && branch.mergedAt - last.at <= LONGEST_MERGE_MS) branches.set(last, branch)
  }
  return branches
}

function viewVersion(
  { version, at, actor }: StoredVersion,
  branch: Merged | undefined,
): ChangeBody['versions'][number] {
  const { type, display_name } = parseActor(actor)
  return {
    version,
    at: timestamp(at),
    by: { type, display_name },
    branch: branch === undefined ? null : { id: branch.id, name: branch.name },
    note: branch?.note ?? '',
  }
}
