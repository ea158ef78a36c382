import { sql } from 'kysely'
import type { AgentContext } from '../../define.ts'
import { findOverflowIssue } from '../../../errors/issues/record/overflow.ts'
import { dayMs, hourMs } from '../../../shared/times.ts'
import { chunks } from '../../../sql/chunks.ts'
import type { Rows } from '../../../sql/database.ts'
import { liveIssues, type LiveIssue } from '../../../quality/gaps/exposure.ts'
import { readOpenGaps } from '../../../quality/gaps/scan.ts'
import type { GapTypeName } from '../../../quality/gaps/score.ts'
import { requirementsOfPaths } from '../../../quality/requirements/match.ts'

/** The files of an issue that are used. */
const MOST_FILES = 3
/** The frames of an issue that are compared. */
const MOST_FRAMES = 3
/** The issues of other statuses that can be duplicate candidates: those last seen. */
const MOST_OTHERS = 2_000
/** Issues of one query: some milliseconds. */
const PAGE = 1_000
/** Paths between two reports of progress: each is a query. */
const PATHS = 100

const columns = [
  'id',
  'number',
  'type',
  'level',
  'status',
  'is_regression',
  'times_seen',
  'users_affected',
  'last_seen',
  'component_id',
  'suspicious',
  'contradicted',
  'status_changed_at',
  'held_count',
  'held_last_at',
] as const

/** The issues of a status, by number, without the one that collects unrelated events. */
export async function readIssues(
  { rows, product, progress }: Pick<AgentContext, 'rows' | 'product' | 'progress'>,
  status: string,
): Promise<TriagedIssue[]> {
  const overflow = await findOverflowIssue(rows, product.id)
  const issues: TriagedIssue[] = []
  for (let after = 0; ;) {
    await progress({ phase: 'reading issues', done: issues.length, total: 0 })
    const page = await readPage(rows, product.id, { status, after })
    issues.push(...page.filter(({ id }) => id !== overflow))
    const last = page.at(-1)
    if (last === undefined) return issues
    after = last.number
  }
}

function readPage(rows: Rows, productId: number, { status, after }: { status: string; after: number }) {
  return rows
    .selectFrom('issue')
    .select(columns)
    .where('product_id', '=', productId)
    .where('status', '=', status)
    .where('number', '>', after)
    .orderBy('number')
    .limit(PAGE)
    .execute()
}
export type TriagedIssue = Awaited<ReturnType<typeof readPage>>[number]

/** Issues of other statuses that have one of the types. */
export async function readOthers(rows: Rows, productId: number, status: string, types: readonly string[]) {
  return rows
    .selectFrom('issue')
    .select(['id', 'number', 'type', 'status'])
    .where('product_id', '=', productId)
    .where('status', '<>', status)
    .where(rows.dialect.isOneOf('type', types))
    .orderBy('last_seen', 'desc')
    .orderBy('id')
    .limit(MOST_OTHERS)
    .execute()
}

/** The in-app frames of an issue, the nearest to the crash first. */
export interface Code {
  /** Path and function of at most 3 frames. */
  frames: string[]
  /** At most 3 files. */
  files: string[]
}

/** By issue: its code. Issues without frames in the repository are left out. */
export async function readCode(
  { rows, progress }: Pick<AgentContext, 'rows' | 'progress'>,
  issueIds: readonly string[],
): Promise<Map<string, Code>> {
  const code = new Map<string, Code>()
  let done = 0
  for (const ids of chunks(issueIds)) {
    await progress({ phase: 'frames', done, total: issueIds.length })
    done += ids.length
    const found = await rows
      .selectFrom('issue_frame')
      .select(['issue_id', 'path', 'function'])
      .where('issue_id', 'in', ids)
      .orderBy('distance')
      .orderBy('path')
      .orderBy('function')
      .execute()
    for (const [id, frames] of Map.groupBy(found, (frame) => frame.issue_id))
      code.set(id, {
        frames: frames.slice(0, MOST_FRAMES).map((frame) => `${frame.path}\n${frame.function}`),
        files: [...new Set(frames.map(({ path }) => path))].slice(0, MOST_FILES),
      })
  }
  return code
}

/** A requirement that claims a file. */
export interface Claim {
  id: string
  number: number
  risk: number
  /** '' without a gap. */
  gap: GapTypeName | ''
}

/** By path: the requirements that claim it. */
export async function readClaims(
  { rows, product, now, progress }: Pick<AgentContext, 'rows' | 'product' | 'now' | 'progress'>,
  paths: readonly string[],
): Promise<Map<string, Claim[]>> {
  const claims = new Map<string, Claim[]>()
  const requirements = await rows
    .selectFrom('requirement_coverage')
    .select(['requirement_id as id', 'number', 'risk_score as risk'])
    .where('product_id', '=', product.id)
    .execute()
  const gaps = new Map((await readOpenGaps(rows, product, { now })).map(({ id, type }) => [id, type]))
  const byId = new Map(requirements.map((one) => [one.id, { ...one, gap: gaps.get(one.id) ?? ('' as const) }]))
  let done = 0
  for (const some of chunks(paths, PATHS)) {
    await progress({ phase: 'requirements', done, total: paths.length })
    done += some.length
    for (const [path, found] of await requirementsOfPaths(rows, product.id, some))
      claims.set(
        path,
        found.flatMap(({ requirementId }) => byId.get(requirementId) ?? []),
      )
  }
  return claims
}

/** The events of an issue in the last 7 days. */
export interface Recent {
  live: LiveIssue
  /** Of the last 24 hours, counted by whole hours. */
  lastDay: number
}

/** By issue: its events of the last 7 days; issues without any are left out. */
export async function readRecent(
  { rows, product, now, progress }: Pick<AgentContext, 'rows' | 'product' | 'now' | 'progress'>,
  ids: readonly string[],
): Promise<Map<string, Recent>> {
  const recent = new Map<string, Recent>()
  let done = 0
  for (const issueIds of chunks(ids)) {
    await progress({ phase: 'events', done, total: ids.length })
    done += issueIds.length
    const days = await readLastDay(rows, issueIds, now)
    for (const [id, live] of await liveIssues(rows, product.id, { window: '7d', now, issueIds }))
      recent.set(id, { live, lastDay: days.get(id) ?? 0 })
  }
  return recent
}

async function readLastDay(rows: Rows, ids: readonly string[], now: number): Promise<Map<string, number>> {
  const from = Math.floor((now - dayMs) / hourMs) * hourMs
  const found = await rows
    .selectFrom('occurrence_rollup')
    .select(['issue_id', sql<number>`sum(count)`.as('events')])
    .where('issue_id', 'in', ids)
    .where('resolution', '=', 3600)
    .where('bucket', '>=', from)
    .groupBy('issue_id')
    .execute()
  return new Map(found.map((row) => [row.issue_id, row.events]))
}
