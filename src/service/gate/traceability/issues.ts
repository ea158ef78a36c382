import { IssueStatus, Level } from '../../../contract/base/common.ts'
import { requirementsOfPaths } from '../../quality/requirements/match.ts'
import type { Rows } from '../../sql/database.ts'
import type { Matrix, MatrixRow } from './model.ts'

export interface MatrixIssues {
  /** The open issues whose in-app files the requirement's code references match, by key; at most 20 of one. */
  byRequirement: ReadonlyMap<string, MatrixRow['issues']>
  /** Files nearest to the crash that no requirement claims: most events first. */
  unclaimedFiles: Matrix['orphans']['files_with_errors_without_requirement']
}

/** Issues of one requirement in the matrix; the most frequent ones. */
const MOST_ISSUES = 20

/** The open issues of a product by the requirements whose files they go through. */
export async function readIssues(rows: Rows, productId: number): Promise<MatrixIssues> {
  const frames = await rows
    .selectFrom('issue_frame as frame')
    .innerJoin('issue', 'issue.id', 'frame.issue_id')
    .innerJoin('product', 'product.id', 'issue.product_id')
    .select(['frame.path', 'frame.distance', 'issue.id', 'issue.number', 'issue.title', 'issue.status', 'issue.level'])
    .select(['issue.times_seen', 'product.key_prefix'])
    .where('frame.product_id', '=', productId)
    .where('issue.status', '=', 'unresolved')
    .orderBy('issue.number')
    .orderBy('frame.distance')
    .orderBy('frame.path')
    .execute()
  const claims = await requirementsOfPaths(rows, productId, [...new Set(frames.map(({ path }) => path))])
  const found = new Map<string, Map<string, MatrixRow['issues'][number]>>()
  for (const frame of frames) {
    for (const { requirementId } of claims.get(frame.path) ?? []) {
      const issues = found.get(requirementId) ?? new Map<string, MatrixRow['issues'][number]>()
      found.set(requirementId, issues.set(frame.id, viewIssue(frame)))
    }
  }
  const byRequirement = new Map(
    Array.from(found, ([id, issues]) => [
      id,
      [...issues.values()].toSorted((one, other) => other.times_seen - one.times_seen).slice(0, MOST_ISSUES),
    ]),
  )
  return { byRequirement, unclaimedFiles: unclaimed(frames, claims) }
}

interface Frame {
  path: string
  id: string
  number: number
  title: string
  status: string
  level: string
  times_seen: number
  key_prefix: string
}

function viewIssue({ id, number, title, status, level, times_seen, key_prefix: prefix }: Frame) {
  return {
    id,
    short_id: `${prefix}-${String(number)}`,
    title,
    status: IssueStatus.parse(status),
    level: Level.parse(level),
    times_seen,
  }
}

/** For each issue the file nearest to the crash, unless a requirement claims it; the frames are ordered by distance. */
function unclaimed(frames: readonly Frame[], claims: ReadonlyMap<string, unknown>): MatrixIssues['unclaimedFiles'] {
  const nearest = new Map<string, Frame>()
  for (const frame of frames) if (!nearest.has(frame.id)) nearest.set(frame.id, frame)
  const events = new Map<string, number>()
  for (const { path, times_seen: times } of nearest.values())
    if (!claims.has(path)) events.set(path, (events.get(path) ?? 0) + times)
  return Array.from(events, ([path, count]) => ({ path, events: count })).toSorted(
    (one, other) => other.events - one.events || (one.path < other.path ? -1 : 1),
  )
}
