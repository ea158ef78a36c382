import { IssueStatus, Level } from '../../../../contract/base/common.ts'
import { chunks } from '../../../sql/chunks.ts'
import type { Rows } from '../../../sql/database.ts'
import type { StoredRelease } from '../../../workspace/releases/releases.ts'
import type { ChosenReleases } from './releases.ts'
import type { ReleaseDigestOutput } from './output.ts'

type NewIssue = ReleaseDigestOutput['new_issues'][number]
type GoneIssue = ReleaseDigestOutput['gone_issues'][number]

/** Events that must have been due at the rate of the predecessor: with fewer, silence may be chance (e⁻³ is 5 %). */
const EVENTS_DUE = 3

export interface ReleaseIssues {
  fresh: NewIssue[]
  regressed: NewIssue[]
  gone: GoneIssue[]
  /** Issues of both releases. */
  continuing: number
}

/** The issues by what the release did to them, those with the most events first. */
export async function compareIssues(
  rows: Rows,
  keyPrefix: string,
  { current: { release }, predecessor, successor }: ChosenReleases,
  now: number,
): Promise<ReleaseIssues> {
  const events = await readEvents(rows, release)
  const eventsBefore = predecessor === undefined ? new Map<string, number>() : await readEvents(rows, predecessor)
  const freshIds = await readFirstSeen(rows, release)
  const regressedIds = await readRegressed(rows, release.id)
  const goneIds = [...eventsBefore.keys()].filter((id) => !events.has(id))
  const found = await readIssues(rows, [...freshIds, ...regressedIds, ...goneIds])
  const view = (id: string): NewIssue[] => {
    const row = found.get(id)
    if (row === undefined) return []
    const { number, title, level, status } = row
    const counts = { events: events.get(id) ?? 0, events_before: eventsBefore.get(id) ?? 0 }
    const key = `${keyPrefix}-${number}`
    return [{ id, key, title, level: Level.parse(level), status: IssueStatus.parse(status), ...counts }]
  }
  const share = lifetimeShare({ release, predecessor, successor }, now)
  const confidence = ({ events_before: before }: NewIssue) => (before * share >= EVENTS_DUE ? 'HIGH' : 'LOW')
  return {
    fresh: freshIds.flatMap(view).toSorted(byEvents),
    regressed: regressedIds.flatMap(view).toSorted(byEvents),
    gone: goneIds
      .flatMap(view)
      .map((issue) => ({ ...issue, confidence: confidence(issue) }) as const)
      .toSorted(byEvents),
    continuing: eventsBefore.size - goneIds.length,
  }
}

function byEvents(left: NewIssue, right: NewIssue): number {
  const total = ({ events, events_before: before }: NewIssue) => events + before
  return total(right) - total(left) || keyNumber(left) - keyNumber(right)
}

/** 31 of SHOP-31. */
function keyNumber({ key }: NewIssue): number {
  return Number(key.slice(key.lastIndexOf('-') + 1))
}

/**
 * How long the release has been the newest, as a multiple of the time of its predecessor; 0 if that is not known, or if no
 * event of the release has arrived.
 */
function lifetimeShare(
  { release, predecessor, successor }: { release: StoredRelease } & Pick<ChosenReleases, 'predecessor' | 'successor'>,
  now: number,
): number {
  const [start, before] = [release.released_at, predecessor?.released_at ?? null]
  if (release.event_count === 0 || start === null || before === null || start <= before) return 0
  return Math.max(0, (successor?.released_at ?? now) - start) / (start - before)
}

/** Events of each issue in a release. A row of each issue is looked up: there is no index by release (decision 092). */
async function readEvents(rows: Rows, release: StoredRelease): Promise<Map<string, number>> {
  const found = await rows
    .selectFrom('issue')
    .innerJoin('issue_presence as here', 'here.issue_id', 'issue.id')
    .select(['here.issue_id', 'here.count'])
    .where('issue.product_id', '=', release.product_id)
    .where('here.environment_id', '=', release.environment_id)
    .where('here.release_id', '=', release.id)
    .execute()
  return new Map(found.map((row) => [row.issue_id, row.count]))
}

async function readFirstSeen(rows: Rows, { id, environment_id: environmentId }: StoredRelease): Promise<string[]> {
  const found = await rows
    .selectFrom('issue_environment')
    .select('issue_id')
    .where('first_release_id', '=', id)
    // The index has only rows with a release.
    .where('first_release_id', '<>', '')
    .where('environment_id', '=', environmentId)
    .execute()
  return found.map((row) => row.issue_id)
}

async function readRegressed(rows: Rows, releaseId: string): Promise<string[]> {
  const found = await rows
    .selectFrom('issue_regression')
    .select('issue_id')
    .where('release_id', '=', releaseId)
    .execute()
  return found.map((row) => row.issue_id)
}

async function readIssues(rows: Rows, ids: readonly string[]) {
  const found = new Map<string, { id: string; number: number; title: string; level: string; status: string }>()
  for (const chunk of chunks([...new Set(ids)])) {
    const some = await rows
      .selectFrom('issue')
      .select(['id', 'number', 'title', 'level', 'status'])
      .where('id', 'in', chunk)
      .execute()
    for (const row of some) found.set(row.id, row)
  }
  return found
}
