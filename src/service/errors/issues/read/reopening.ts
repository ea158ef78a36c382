import { sql } from 'kysely'
import type * as z from 'zod'
import type { Reopening } from '../../../../contract/base/issue-status.ts'
import type { Rows } from '../../../sql/database.ts'
import { readJson } from '../../../sql/json.ts'
import { environmentNames, releaseNames } from '../../../workspace/releases/names.ts'
import { recordedOrigin } from '../../../workspace/releases/rules.ts'
import { ResolvedIn, StoredFixedIn, StoredIgnoreUntil, type StoredIssue } from '../columns.ts'
import { releaseWithCommit, viewRelease } from './status-view.ts'

type Body = z.input<typeof Reopening>
type Rule = Body['environments'][number]['rule']

/** Environments shown of one issue. */
const SHOWN = 5

/** The rule of one environment of an issue, before names are read. */
interface Place {
  environmentId: string
  rule: Rule
  releaseId: string
}

/**
 * What reopens each of the issues of one product, by id (contract §10.3); an unresolved issue is missing. `reopens` is the
 * product's setting `reopen_on_regression`.
 */
export async function viewReopening(
  rows: Rows,
  issues: readonly StoredIssue[],
  reopens: boolean,
): Promise<Map<string, Body>> {
  const decided = issues.filter(isDecidedByReleases)
  const others = issues
    .filter((issue) => issue.status === 'ignored' && !decided.includes(issue))
    .map(({ id, ignore_until }) => [id, withoutReleases(ignore_until !== null)] as const)
  if (decided.length === 0) return new Map(others)
  const present = await countEnvironments(rows, decided)
  const known = await environmentsWithKnown(rows, [...new Set([...present.values()].flat())])
  const places = new Map<string, Place[]>()
  for (const issue of decided) {
    const choose = await chooseRule(rows, issue, known)
    places.set(issue.id, (present.get(issue.id) ?? []).map(choose))
  }
  const all = [...places.values()].flat()
  const releases = await releaseNames(
    rows,
    all.map(({ releaseId }) => releaseId),
  )
  const names = await environmentNames(
    rows,
    all.map(({ environmentId }) => environmentId),
  )
  return new Map<string, Body>([
    ...others,
    ...decided.map((issue): [string, Body] => [
      issue.id,
      {
        reopens: issue.status === 'ignored' || reopens,
        without_release: issue.status === 'resolved' && issue.fixed_in === null,
        environments: (places.get(issue.id) ?? []).map(({ environmentId, rule, releaseId }) => ({
          environment: names.get(environmentId)?.name ?? '',
          environment_known: names.get(environmentId)?.known ?? false,
          rule,
          release: viewRelease(releases.get(releaseId)),
        })),
      },
    ]),
  ])
}

/** Of an issue that is ignored for good, or until occurrences or a time, whatever their release. */
function withoutReleases(ends: boolean): Body {
  return { reopens: ends, without_release: ends, environments: [] }
}

function isDecidedByReleases(issue: StoredIssue): boolean {
  if (issue.status === 'resolved') return true
  return issue.ignore_until !== null && readJson(StoredIgnoreUntil, issue.ignore_until).kind === 'release'
}

/** How an occurrence in an environment is judged, as in `record/reopens.ts`. */
async function chooseRule(
  rows: Rows,
  issue: StoredIssue,
  known: ReadonlySet<string>,
): Promise<(environmentId: string) => Place> {
  const context = readContext(issue)
  const fixedIn = issue.fixed_in === null ? undefined : readJson(StoredFixedIn, issue.fixed_in)
  const fix =
    fixedIn?.kind === 'release'
      ? fixedIn.release_id
      : fixedIn?.kind === 'commit'
        ? await releaseWithCommit(rows, issue.product_id, fixedIn.commit)
        : undefined
  if (fix !== undefined) return (environmentId) => ({ environmentId, rule: 'at_or_after', releaseId: fix })
  const isPlain = issue.status === 'resolved' && fixedIn === undefined
  return (environmentId) => {
    const releaseId = context[environmentId] ?? ''
    if (releaseId !== '') return { environmentId, rule: isPlain ? 'at_or_after' : 'after', releaseId }
    return { environmentId, rule: isPlain && !known.has(environmentId) ? 'any_event' : 'any_known_release', releaseId }
  }
}

function readContext(issue: StoredIssue): Readonly<Record<string, string>> {
  if (issue.ignore_until !== null) {
    const until = readJson(StoredIgnoreUntil, issue.ignore_until)
    return until.kind === 'release' ? until.newest : {}
  }
  return issue.resolved_in === null ? {} : readJson(ResolvedIn, issue.resolved_in)
}

/** The environments with most occurrences of each issue. */
async function countEnvironments(rows: Rows, issues: readonly StoredIssue[]): Promise<Map<string, string[]>> {
  const counts = await rows
    .selectFrom('issue_presence')
    .select(['issue_id', 'environment_id', sql<number>`sum(count)`.as('events')])
    .where(
      'issue_id',
      'in',
      issues.map(({ id }) => id),
    )
    .where('environment_id', '<>', '')
    .groupBy(['issue_id', 'environment_id'])
    .orderBy('events', 'desc')
    .execute()
  const byIssue = Map.groupBy(counts, (count) => count.issue_id)
  return new Map([...byIssue].map(([id, some]) => [id, some.slice(0, SHOWN).map((row) => row.environment_id)]))
}

/** Those of the environments that have a known release. */
async function environmentsWithKnown(rows: Rows, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const found = await rows
    .selectFrom('release')
    .select('environment_id')
    .distinct()
    .where('environment_id', 'in', ids)
    .where(sql<boolean>`${sql.raw(recordedOrigin)}`)
    .execute()
  return new Set(found.map((row) => row.environment_id))
}
