import { IssueStatus, Level } from '../../../contract/base/common.ts'
import { crashFiles, nearestFile, type CrashFiles } from '../../quality/gaps/crash-files.ts'
import type { Rows } from '../../sql/database.ts'
import { remembered } from '../../sql/remembered.ts'
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
export function readIssues(rows: Rows, productId: number): Promise<MatrixIssues> {
  return remembered(rows, `matrix issues ${productId}`, async () => {
    const open = await rows
      .selectFrom('issue')
      .innerJoin('product', 'product.id', 'issue.product_id')
      .select(['issue.id', 'issue.number', 'issue.title', 'issue.status', 'issue.level', 'issue.times_seen'])
      .select('product.key_prefix')
      .where('issue.product_id', '=', productId)
      .where('issue.status', '=', 'unresolved')
      .orderBy('issue.number')
      .execute()
    const facts = await crashFiles(rows, productId)
    return { byRequirement: issuesByRequirement(open, facts), unclaimedFiles: unclaimed(open, facts) }
  })
}

interface OpenIssue {
  id: string
  number: number
  title: string
  status: string
  level: string
  times_seen: number
  key_prefix: string
}

function issuesByRequirement(open: readonly OpenIssue[], { files, claims }: CrashFiles): MatrixIssues['byRequirement'] {
  const found = new Map<string, Set<OpenIssue>>()
  for (const issue of open) {
    for (const { path } of files.get(issue.id) ?? []) {
      for (const { requirementId } of claims.get(path) ?? []) {
        const issues = found.get(requirementId) ?? new Set()
        found.set(requirementId, issues.add(issue))
      }
    }
  }
  return new Map(
    Array.from(found, ([id, issues]) => [
      id,
      [...issues]
        .toSorted((one, other) => other.times_seen - one.times_seen)
        .slice(0, MOST_ISSUES)
        .map(viewIssue),
    ]),
  )
}

function viewIssue({ id, number, title, status, level, times_seen, key_prefix: prefix }: OpenIssue) {
  return {
    id,
    short_id: `${prefix}-${String(number)}`,
    title,
    status: IssueStatus.parse(status),
    level: Level.parse(level),
    times_seen,
  }
}

/** For each issue the file nearest to the crash, unless a requirement claims it. */
function unclaimed(open: readonly OpenIssue[], { files, claims }: CrashFiles): MatrixIssues['unclaimedFiles'] {
  const events = new Map<string, number>()
  for (const { id, times_seen: times } of open) {
    const nearest = nearestFile(files.get(id) ?? [])
    if (nearest === undefined || claims.has(nearest.path)) continue
    events.set(nearest.path, (events.get(nearest.path) ?? 0) + times)
  }
  return Array.from(events, ([path, count]) => ({ path, events: count })).toSorted(
    (one, other) => other.events - one.events || (one.path < other.path ? -1 : 1),
  )
}
