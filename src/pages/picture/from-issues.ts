import type * as z from 'zod'
import type { Received, ReceivedResult } from '../../client/api.ts'
import type { Untrusted } from '../../contract/base/text.ts'
import type { ResultOf } from '../../contract/index.ts'
import type { Issue as IssueSchema } from '../../contract/issues.ts'
import { evidenceMeanings, evidenceWord, issueState, knownParts } from '../../mcp/result/issue-words.ts'
import { toMinute } from '../../mcp/result/present.ts'
import { textForPeople } from '../../mcp/text/untrusted.ts'
import { evidencePicture, mark } from './issue-marks.ts'
import type { EvidencePicture, IssuePicture, SeenPicture, TrendPicture } from './issue-types.ts'
import { shown } from './shown.ts'

type Issue = Received<z.output<typeof IssueSchema>>
export type Stats = ReceivedResult<ResultOf<'getIssueStats'>>['stats']

const TITLE_CHARACTERS = 200
const NAME_CHARACTERS = 60

export interface IssueFacts {
  key: string
  /** Statistics of the issue; undefined where they were not read. */
  stats: Stats | undefined
  /** Whether rows may have different states. */
  showsStatus: boolean
  /** The time of the reader, in milliseconds. */
  now: number
}

/** An issue of any deployment as a picture; what the deployment leaves out is not stated. */
export function issuePicture(issue: Issue, { key, stats, showsStatus, now }: IssueFacts): IssuePicture {
  const { level, handled, status } = issue
  const state = issueState(issue)
  const words = [state !== 'ongoing' && state, level === 'fatal' && level, handled === false && 'unhandled']
  return {
    key,
    title: textForPeople(issue.title, TITLE_CHARACTERS),
    culprit: textForPeople(issue.culprit, TITLE_CHARACTERS),
    status: showsStatus ? status : undefined,
    level,
    marks: words.filter((word) => word !== false && word !== undefined).map(mark),
    component: shown(issue.component?.title),
    environments: environmentNames(issue.environments),
    since: undefined,
    events: issue.times_seen,
    users: issue.users_affected,
    first: seenPicture(issue.first_seen, issue.first_release?.version, now),
    last: seenPicture(issue.last_seen, issue.last_release?.version, now),
    evidence: evidence(issue),
    vouched: vouchedWords[issue.vouched_by ?? 'not stated'],
    trend: stats === undefined ? null : trendPicture(stats),
  }
}

function environmentNames(environments: Issue['environments']): string | undefined {
  return environments?.map(({ name }) => textForPeople(name, NAME_CHARACTERS)).join(', ')
}

function seenPicture(
  time: string | undefined,
  release: Untrusted<string> | undefined,
  now: number,
): SeenPicture | undefined {
  if (time === undefined) return undefined
  return {
    at: shownTime(time),
    ago: ago(time, now),
    release: release === undefined ? undefined : textForPeople(release, NAME_CHARACTERS),
  }
}

/** A time to the minute, in UTC. */
function shownTime(time: string): string {
  return (toMinute(time) ?? time).replace('T', ' ').replace('Z', ' UTC')
}

const spans = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
] as const

/** `3 days ago`; undefined where the clocks disagree. */
function ago(time: string, now: number): string | undefined {
  const past = now - Date.parse(time)
  if (Number.isNaN(past) || past < -60_000) return undefined
  const span = spans.find(([milliseconds]) => past >= milliseconds)
  if (span === undefined) return 'just now'
  const [length, unit] = span
  const count = Math.floor(past / length)
  return `${String(count)} ${unit}${count === 1 ? '' : 's'} ago`
}

function evidence(issue: Issue): EvidencePicture {
  const word = evidenceWord(issue)
  if (word === 'not stated') return evidencePicture(word)
  const known = knownParts(issue)
  const rests = known.length === 0 ? '' : `Known to the workspace: ${known.join(', ')}. `
  return evidencePicture(word, `${rests}${capital(evidenceMeanings[word])}.`)
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Who says that an issue is open (contract §10.6). */
const vouchedWords: Readonly<Record<string, string>> = {
  server_key: 'An event with a server key',
  member: 'A member',
  '': 'Only events with a public key: it fails no quality gate',
}

const MOST_BARS = 42

const periodWords: Readonly<Record<string, string>> = {
  '3m': '3 minutes',
  '1h': 'the last hour',
  '12h': '12 hours',
  '1d': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
}

/** What was counted, in at most 42 sums of neighbours; null where nothing was. */
function trendPicture({ series = [], total, period }: NonNullable<Stats>): TrendPicture | null {
  if (series.length === 0 || series.some(({ count }) => count === undefined)) return null
  const size = Math.ceil(series.length / MOST_BARS)
  const counts = Array.from({ length: Math.ceil(series.length / size) }, (_, index) =>
    sum(series.slice(index * size, (index + 1) * size).map(({ count = 0 }) => count)),
  )
  const events = total ?? sum(counts)
  const span = periodWords[period ?? ''] ?? 'the period'
  const peak = series.reduce((most, one) => ((one.count ?? 0) > (most.count ?? 0) ? one : most))
  const most = events === 0 ? '' : `, most at ${shownTime(peak.at ?? 'a time that is not stated')}`
  return { counts, says: `${events.toLocaleString('en')} events in ${span}${most}` }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
