import { IssueStatus } from '../../../../contract/base/common.ts'
import { counted } from '../../../../lib/counted.ts'
import { viewFiring } from '../../../errors/issues/read/status-view.ts'
import { dayMs } from '../../../shared/times.ts'
import type { TriagedIssue } from './read.ts'
import type { TriagedBody } from './schema.ts'

/** An issue without events for so long may be gone. */
const QUIET_DAYS = 14

type Suggestion = Pick<TriagedBody, 'suggested_status' | 'reason'>

/** The status that the facts suggest, and why. Nothing sets it. */
export function suggestStatus(issue: TriagedIssue, now: number): Suggestion {
  const keep = (reason: string) => ({ suggested_status: IssueStatus.parse(issue.status), reason })
  const firing = viewFiring(issue, now).still_firing
  if (firing !== undefined)
    return {
      suggested_status: 'unresolved',
      reason: `${counted(firing.events, 'event')} came after it was resolved, and nothing shows that they are older than the fix.`,
    }
  if (issue.status !== 'unresolved') return keep('Nothing suggests another status.')
  if (issue.is_regression === 1) return keep('It came back after it was resolved.')
  if (issue.suspicious === 1 || issue.contradicted === 1)
    return {
      suggested_status: 'ignored',
      reason: 'Its events do not match the code of their release, so anyone may have made them up.',
    }
  const quiet = Math.floor((now - issue.last_seen) / dayMs)
  if (quiet >= QUIET_DAYS)
    return { suggested_status: 'resolved', reason: `It has had no event for ${counted(quiet, 'day')}.` }
  return keep(quiet < 1 ? 'It occurred in the last day.' : `It occurred ${counted(quiet, 'day')} ago.`)
}
