import { isEndpointMissing, ServiceError } from '../../../src/errors.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import { issueName, mayBeId } from '../../../src/mcp/resolve/ids.ts'
import { explainNotOffered, ifOffered, isNotOffered } from '../../../src/mcp/resolve/offered.ts'
import type { IssueInFull } from '../../../src/mcp/resolve/types.ts'
import { nextCall } from '../../../src/mcp/result/next-action.ts'
import { describeValue, TeachingError } from '../../../src/mcp/result/teach.ts'
import { hasText, knownName, quoted } from '../../../src/mcp/text/untrusted.ts'
import { toSecond, unvouchedMembers, vouchedName } from '../columns.ts'
import type { Event } from './events.ts'
import { mayBeName } from './occurrence-names.ts'

interface FoundEvent {
  event: Event | undefined
  adjusted?: readonly string[]
}

/**
 * The occurrence by its id, by the beginning of it that results show, or by the id that an SDK gave the event; the latest one where none is given. Throws an error
 * that lists occurrences where the issue has no such one.
 */
export async function findEvent(full: IssueInFull, eventId: string | undefined, context: Context): Promise<FoundEvent> {
  if (eventId === undefined) return { event: await readLatest(full, context) }
  const issueId = full.issue.id
  const whole = await wholeId(issueId, eventId, context)
  const event = await readEvent(full, whole ?? eventId, context)
  if (event !== undefined) return { event }
  const isSdkId = /^[0-9a-f]{32}$/i.test(eventId)
  const id = isSdkId ? await findBySdkId(issueId, eventId.toLowerCase(), context) : undefined
  if (id !== undefined) {
    const adjusted = [`event: SDK event_id -> occurrence ${id}`]
    return { event: await readEvent(full, id, context), adjusted }
  }
  const include = whole === undefined ? {} : { include: ['events'] }
  const issue = issueName(full.issue, await context.resolve.products())
  throw new TeachingError(isSdkId ? 'wrong_id_kind' : 'not_found', 'the issue has no such occurrence', {
    sent: isSdkId ? 'event = 32 hex characters, which looks like an SDK event_id' : `event = ${describeValue(eventId)}`,
    expected: 'an occurrence id, as in events[].id of this tool',
    next: nextCall('get_error_issue', { issue, ...include }, 'lists occurrences'),
  })
}

/** Rows that are compared by their times: a short list may have the oldest first. */
const NEWEST = 50

/**
 * The latest occurrence: with the issue, else the newest of its list. Undefined where there is none, or this deployment
 * does not offer what is needed.
 */
export async function readLatest(
  { issue, latest_event: latest }: IssueInFull,
  { api, signal }: Pick<Context, 'api' | 'signal'>,
): Promise<Event | undefined> {
  if (latest !== undefined) return latest ?? undefined
  const list = await ifOffered(api.listIssueEvents({ id: issue.id, page_size: NEWEST }, { signal }))
  const [newest] = (list?.events ?? []).toSorted((one, other) => time(other) - time(one))
  if (newest === undefined) return undefined
  return (await ifOffered(api.getIssueEvent({ id: issue.id, event_id: newest.id }, { signal })))?.event
}

function time({ timestamp }: { timestamp?: string | undefined }): number {
  return Date.parse(timestamp ?? '') || 0
}

const LISTED = 200
const PAGES = 5

/**
 * The id that begins so among the newest thousand occurrences; what was given when none or several do. Undefined where
 * this deployment does not list occurrences.
 */
async function wholeId(issueId: string, given: string, { api, signal }: Context): Promise<string | undefined> {
  if (!mayBeName(given)) return given
  const found: string[] = []
  let token: string | undefined
  for (let page = 0; page < PAGES; page += 1) {
    const query = { id: issueId, page_size: LISTED, page_token: token }
    const answer = await ifOffered(api.listIssueEvents(query, { signal }))
    if (answer === undefined) return undefined
    const { events, next_page_token: next } = answer
    found.push(...events.map(({ id }) => id).filter((id) => id.startsWith(given.toLowerCase())))
    if (next === undefined || next === '') break
    token = next
  }
  const [first] = found
  return found.length === 1 && first !== undefined ? first : given
}

async function readEvent(
  { issue, latest_event: latest }: IssueInFull,
  eventId: string,
  { api, signal }: Context,
): Promise<Event | undefined> {
  if (!mayBeId(eventId)) return undefined
  const read = (id: string) => api.getIssueEvent({ id: issue.id, event_id: id }, { signal })
  try {
    return (await read(eventId)).event
  } catch (error) {
    if (isNotOffered(error)) {
      if (latest?.id === eventId) return latest
      // A missing occurrence looks the same, but the latest one is there.
      if (latest && !isEndpointMissing(error) && (await ifOffered(read(latest.id))) !== undefined) return undefined
      return explainNotOffered('single occurrences', {
        expected: 'the call without event: the latest occurrence comes with the issue',
        next: nextCall('get_error_issue', { issue: issue.id }, 'the latest occurrence'),
      })(error)
    }
    if (error instanceof ServiceError && error.code === 'not_found') return undefined
    throw error
  }
}

/** The id of the occurrence that an SDK gave this event id; undefined where none is shown. */
export async function findBySdkId(issueId: string, sdkEventId: string, { api, signal }: Context) {
  const query = { id: issueId, sdk_event_id: sdkEventId, page_size: 2 }
  const answer = await ifOffered(api.listIssueEvents(query, { signal }))
  // A deployment that does not know the filter would answer with any occurrence.
  return answer?.events.find(({ sdk_event_id: id }) => id?.replaceAll('-', '').toLowerCase() === sdkEventId)?.id
}

/** Counts of the last seven days, with the busiest moment. */
export async function readStats(issueId: string, { api, signal }: Context) {
  const { stats } = await api.getIssueStats({ id: issueId, period: '7d' }, { signal })
  const [peak] = (stats.series ?? []).toSorted((one, other) => (other.count ?? 0) - (one.count ?? 0))
  const { bucket_seconds: seconds } = stats
  const window = seconds === undefined ? 'in an interval from' : `in the ${Math.round(seconds / 60)} min from`
  return {
    ...stats,
    users: stats.users_affected,
    peak: peak?.count && peak.at !== undefined ? `${peak.count} ${window} ${toSecond(peak.at)}` : undefined,
    environments: stats.environments?.map((row) => ({
      environment: vouchedName(row.environment, row.environment_known),
      events: row.count,
    })),
  }
}

/** Environments and releases of the issue that the workspace does not vouch for, by their ids. */
export function unvouchedNames({ releases = [] }: IssueInFull) {
  const left = releases.filter((row) => knownName(row.version, row.known) === undefined && hasText(row.version))
  return unvouchedMembers(
    left.map(({ id, version, environment, known }) => ({
      known,
      shown: { id, release: quoted`${version}`.cut(120), environment: quoted`${environment}`.cut(64) },
    })),
  )
}
