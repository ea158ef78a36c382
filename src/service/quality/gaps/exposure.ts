import { sql, type SqlBool } from 'kysely'
import type * as z from 'zod'
import { Level } from '../../../contract/base/common.ts'
import type { GapWindow } from '../../../contract/test-context.ts'
import type { Rows } from '../../sql/database.ts'
import { dayMs, hourMs } from '../../shared/times.ts'
import { keptByIssue } from '../../workspace/issue-facts/kept-by-issue.ts'
import { crashFiles, filesOfIssues, type CrashFile, type CrashFiles } from './crash-files.ts'
import { levelWeight } from './score.ts'

export type ExposureWindow = z.output<typeof GapWindow>

const windowMs: Readonly<Record<ExposureWindow, number>> = { '1d': dayMs, '7d': 7 * dayMs, '30d': 30 * dayMs }

/** An issue that occurred inside the window. */
export interface LiveIssue {
  id: string
  number: number
  title: string
  level: z.output<typeof Level>
  status: string
  componentId: string
  users: number
  /** Occurrences inside the window. */
  events: number
  /** The same, weighted by environment and level: its share of X (contract §9.1). */
  weighted: number
  /** Why it does not count: anyone may have made it up (contract §9.1). */
  doubt: 'suspicious' | 'contradicted' | undefined
  /** The files of its in-app frames and their distance to the crash: 0 is the crash. */
  files: readonly CrashFile[]
}

/** By the id of the issue. */
export type LiveIssues = ReadonlyMap<string, LiveIssue>

export interface GapQuery {
  window: ExposureWindow
  environmentId?: string | undefined
  /** Epoch milliseconds. */
  now: number
}

interface LiveIssueQuery extends GapQuery {
  /** Only these issues. */
  issueIds?: readonly string[] | undefined
}

/** Of a live issue without its title; its files are kept elsewhere. */
const ISSUE_BYTES = 250

/**
 * The issues of a product with occurrences in the window, in one environment or in all, with their share of the
 * exposure. Occurrences are counted by the hour, so a window starts with its first full hour.
 */
export async function liveIssues(
  rows: Rows,
  productId: number,
  { window, environmentId, now, issueIds }: LiveIssueQuery,
): Promise<LiveIssues> {
  const asked = { from: windowStart(window, now), environmentId }
  if (issueIds !== undefined) {
    const files = await filesOfIssues(rows, issueIds)
    return readLiveIssues(rows, productId, { ...asked, issueIds, files })
  }
  return keptByIssue(rows, productId, {
    name: `live issues ${window} ${environmentId ?? ''}`,
    basis: `${String(asked.from)} ${await readWeights(rows, productId)}`,
    follows: 'every change',
    async read(changed) {
      const files = await crashFiles(rows, productId)
      return readLiveIssues(rows, productId, { ...asked, issueIds: changed, files })
    },
    size: ({ title }) => ISSUE_BYTES + title.length,
  })
}

/** The first full hour of a window, epoch milliseconds. */
export function windowStart(window: ExposureWindow, now: number): number {
  return Math.floor((now - windowMs[window]) / hourMs) * hourMs
}

/** What an event counts in each environment of a product, as one text. */
async function readWeights(rows: Rows, productId: number): Promise<string> {
  const found = await rows
    .selectFrom('environment')
    .select(['id', 'exposure_weight as weight'])
    .where('product_id', '=', productId)
    .orderBy('id')
    .execute()
  return found.map(({ id, weight }) => `${id}=${String(weight)}`).join(' ')
}

async function readLiveIssues(
  rows: Rows,
  productId: number,
  {
    from,
    environmentId,
    issueIds,
    files,
  }: Pick<LiveIssueQuery, 'environmentId' | 'issueIds'> & { from: number; files: CrashFiles },
): Promise<Map<string, LiveIssue>> {
  // A list of ids is read in their order, so that the sums of an issue need no sorting: 73 ms instead of 127 for 8,000
  // issues of a million occurrences.
  const live = rows.selectFrom('issue').select('id').where('product_id', '=', productId).where('last_seen', '>=', from)
  const isLive = sql<SqlBool>`rollup.issue_id IN (${live})`
  const sums = rows
    .selectFrom('occurrence_rollup as rollup')
    .innerJoin('place', 'place.id', 'rollup.place_id')
    .leftJoin('environment', 'environment.id', 'place.environment_id')
    .select('rollup.issue_id')
    .select(sql<number>`sum(rollup.count)`.as('events'))
    .select(sql<number>`sum(rollup.count * coalesce(environment.exposure_weight, 1))`.as('exposed'))
    .where(issueIds === undefined ? isLive : rows.dialect.isOneOf('rollup.issue_id', issueIds))
    .where('rollup.resolution', '=', 3600)
    .where('rollup.bucket', '>=', from)
    .$if(environmentId !== undefined, (query) => query.where('place.environment_id', '=', environmentId ?? ''))
    .groupBy('rollup.issue_id')
  const counted = await rows
    .selectFrom(sums.as('summed'))
    .innerJoin('issue', 'issue.id', 'summed.issue_id')
    .select(['issue.id', 'issue.number', 'issue.title', 'issue.level', 'issue.status', 'issue.component_id'])
    .select(['issue.suspicious', 'issue.contradicted', 'issue.users_affected as users'])
    .select(['summed.events', 'summed.exposed'])
    .execute()
  return new Map(
    counted.map(({ component_id, exposed, level, suspicious, contradicted, ...issue }) => {
      const parsed = Level.parse(level)
      const seen: LiveIssue = {
        ...issue,
        level: parsed,
        componentId: component_id,
        weighted: exposed * levelWeight(parsed),
        doubt: suspicious === 1 ? 'suspicious' : contradicted === 1 ? 'contradicted' : undefined,
        files: files.get(issue.id) ?? [],
      }
      return [issue.id, seen]
    }),
  )
}

/** The issues that add to the score of one gap: those whose files match, and those that only share a component. */
export interface Exposure {
  matched: readonly LiveIssue[]
  /** These count half. */
  nearby: readonly LiveIssue[]
  /** Issues whose files match and that add nothing, because they are doubted. */
  doubted: readonly LiveIssue[]
  /** X: issues whose files match count in full, those that only share a component count half (contract §9.1). */
  weighted: number
}
