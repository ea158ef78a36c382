import type * as z from 'zod'
import type { Received } from '../../../src/client/api.ts'
import type { Issue as IssueSchema } from '../../../src/contract/issues.ts'
import { counted } from '../../../src/lib/counted.ts'
import { vouchedWords } from '../columns.ts'
import { toMinute } from '../../../src/mcp/result/present.ts'

export type Issue = Received<z.output<typeof IssueSchema>>

/** Who wrote the text in an error's untrusted block. */
export const errorEvent = { source: 'error event', writableBy: 'anyone with the public DSN' } as const

/** `SHOP-31 is unresolved: unhandled error; seen 2 times by 2 users, last at …` */
export function issueSentence(issue: Issue): string {
  const firing = firingWords(issue)
  const regressed = issue.is_regression === true ? ', regressed after it was resolved' : ''
  const times = issue.times_seen === undefined ? '' : `; seen ${counted(issue.times_seen, 'time')}`
  // 0: no event names a user, so the number is not known.
  const users = (issue.users_affected ?? 0) === 0 ? '' : ` by ${counted(issue.users_affected ?? 0, 'user')}`
  const last = issue.last_seen === undefined ? '' : `, last at ${toMinute(issue.last_seen) ?? ''}`
  const kind = [issue.handled === false && 'unhandled', issue.level ?? 'level not stated'].filter(Boolean).join(' ')
  const what = issue.grouping?.basis === 'overflow' ? ` ${OVERFLOW}` : ''
  return `${issue.short_id ?? issue.id} is ${issue.status ?? 'of a status that is not stated'}${fixedWords(issue)}${firing}${regressed}: ${kind}${times}${users}${last}.${what}`
}

/** ` in shop@1.4.2`, ` in the next release`: where a resolved issue is fixed. */
function fixedWords({ status, fixed_in: fix }: Issue): string {
  if (status !== 'resolved' || fix === undefined) return ''
  if (fix.kind === 'next') return ' in the next release'
  if (fix.kind === 'commit') return ` in commit ${fix.commit?.slice(0, 12) ?? 'not stated'}`
  return ` in ${vouchedWords('a release', fix.release?.version, fix.release?.known) ?? 'a release'}`
}

function firingWords({ still_firing: firing }: Issue): string {
  if (firing === undefined) return ''
  const events = firing.events === undefined ? '' : `: ${counted(firing.events, 'event')}`
  const since = firing.since === undefined ? '' : ` since ${toMinute(firing.since) ?? ''}`
  return `, but still firing${events}${since}`
}

/** Of the issue that collects events (decision 011). */
const OVERFLOW =
  'It collects different errors that came beyond the limit of new issues per hour: there is no one fix. ' +
  'Read its occurrences, and fix what floods the product first; the operator raises the limit with TRACEGATE_NEW_ISSUES_PER_HOUR.'
