import { IssueStatus, Level } from '../../../contract/base/common.ts'
import { largest } from '../../../lib/largest.ts'
import { madeOnce } from '../../../lib/once.ts'
import { issueClaims, type ProductClaims } from '../../quality/gaps/issue-claims.ts'
import type { Rows } from '../../sql/database.ts'
import { remembered } from '../../sql/remembered.ts'
import { issuesToRead, keptByIssue } from '../../workspace/issue-facts/kept-by-issue.ts'
import type { StoredProduct } from '../../workspace/products.ts'
import type { Matrix, MatrixRow } from './model.ts'

export interface MatrixIssues {
  /** The open issues whose in-app files the requirement's code references match, by key; at most 20 of one. */
  byRequirement: ReadonlyMap<string, MatrixRow['issues']>
  /** Files nearest to the crash that no requirement claims, at most 50: most events first. */
  unclaimedFiles: Matrix['orphans']['files_with_errors_without_requirement']
}

/** Issues of one requirement in the matrix; the most frequent ones. */
const MOST_ISSUES = 20
const MOST_FILES = 50

/** The open issues of a product by the requirements whose files they go through. */
export function readIssues(
  rows: Rows,
  { id: productId, key_prefix: prefix }: Pick<StoredProduct, 'id' | 'key_prefix'>,
): Promise<MatrixIssues> {
  return remembered(rows, `matrix issues ${String(productId)}`, async () => {
    const [open, claims] = await Promise.all([openIssues(rows, productId), issueClaims(rows, productId)])
    return makeMatrixIssues(open, claims, prefix)
  })
}

/** Only a commit that changes issues or claims makes them again. */
const makeMatrixIssues = madeOnce((open: OpenIssues, claims: ProductClaims, prefix: string): MatrixIssues => ({
  byRequirement: issuesByRequirement(open, claims, prefix),
  unclaimedFiles: unclaimedFiles(open, claims),
}))

interface OpenIssue {
  id: string
  number: number
  title: string
  status: string
  level: string
  times_seen: number
}

type OpenIssues = ReadonlyMap<string, OpenIssue>

/** Of an open issue without its title. */
const ISSUE_BYTES = 150

function openIssues(rows: Rows, productId: number): Promise<OpenIssues> {
  return keptByIssue(rows, productId, {
    name: 'open issues',
    follows: 'every change',
    async read(issueIds): Promise<Map<string, OpenIssue>> {
      const open = await rows
        .selectFrom('issue')
        .select(['id', 'number', 'title', 'status', 'level', 'times_seen'])
        .where('status', '=', 'unresolved')
        .where(issuesToRead(rows, productId, issueIds))
        .execute()
      return new Map(open.map((issue) => [issue.id, issue]))
    },
    size: ({ title }) => ISSUE_BYTES + title.length,
  })
}

function issuesByRequirement(
  open: OpenIssues,
  { byRequirement }: ProductClaims,
  prefix: string,
): MatrixIssues['byRequirement'] {
  return new Map(
    Array.from(byRequirement, ([requirementId, issueIds]) => [
      requirementId,
      issueIds
        .flatMap((id) => open.get(id) ?? [])
        .toSorted((one, other) => other.times_seen - one.times_seen || one.number - other.number)
        .slice(0, MOST_ISSUES)
        .map((issue) => viewIssue(issue, prefix)),
    ]),
  )
}

function viewIssue({ id, number, title, status, level, times_seen }: OpenIssue, prefix: string) {
  return {
    id,
    short_id: `${prefix}-${String(number)}`,
    title,
    status: IssueStatus.parse(status),
    level: Level.parse(level),
    times_seen,
  }
}

/** The files nearest to the crash of an issue that no requirement claims. */
function unclaimedFiles(open: OpenIssues, { unclaimed }: ProductClaims): MatrixIssues['unclaimedFiles'] {
  const events = new Map<string, number>()
  for (const [id, path] of unclaimed) {
    const issue = open.get(id)
    if (issue !== undefined) events.set(path, (events.get(path) ?? 0) + issue.times_seen)
  }
  return largest(events, MOST_FILES, Number).map(([path, count]) => ({ path, events: count }))
}
