import { evidencePicture, mark } from '../picture/issue-marks.ts'
import type { IssuePicture } from '../picture/issue-types.ts'
import { listed, members, text, type Members } from './structured.ts'

/** What find_error_issues answered. */
export interface FoundIssues {
  /** The answer in a sentence. */
  says: string | undefined
  issues: readonly IssuePicture[]
}

/** How the tool says that it left the column of users out because it repeats another one. */
const EACH_BY_ANOTHER = 'users equals times_seen'

/** The structured result of find_error_issues as a picture; undefined if it is none. */
export function foundIssues(structured: unknown): FoundIssues | undefined {
  const result = members(structured)
  const rows = listed(members(result['data'])['rows'])
  const says = text(result['answer'])
  if (rows === undefined) return says === undefined ? undefined : { says, issues: [] }
  const untrusted = listed(members(result['untrusted'])['rows']) ?? []
  const titles = new Map(untrusted.map((row) => [text(row['id']), text(row['title'])]))
  const repeats = says?.includes(EACH_BY_ANOTHER) === true
  return { says, issues: rows.map((row) => issuePicture(row, titles.get(text(row['id'])), repeats)) }
}

function issuePicture(row: Members, title: string | undefined, repeats: boolean): IssuePicture {
  const lastSeen = text(row['last_seen_utc'])
  const evidence = text(row['evidence'])
  const events = count(row['times_seen'])
  return {
    key: text(row['id']) ?? 'not stated',
    title: title ?? '',
    culprit: undefined,
    status: text(row['status']),
    level: undefined,
    marks: (text(row['state'])?.split(', ') ?? []).map(mark),
    component: text(row['component']),
    environments: text(row['environments']),
    since: text(row['first_release']),
    events,
    // The tool leaves the number out where no event names a user.
    users: repeats ? events : (count(row['users']) ?? 0),
    first: undefined,
    last: lastSeen === undefined ? undefined : { at: `${lastSeen} UTC`, ago: undefined, release: undefined },
    vouched: undefined,
    evidence: evidence === undefined ? undefined : evidencePicture(evidence),
    trend: undefined,
  }
}

function count(given: unknown): number | undefined {
  return typeof given === 'number' ? given : undefined
}
