import type * as z from 'zod'
import { IssueStatus, Level } from '../../../../contract/base/common.ts'
import { VouchedBy, type Issue } from '../../../../contract/issues.ts'
import { computeEtag } from '../../../shared/etag.ts'
import type { Rows } from '../../../sql/database.ts'
import { dayMs, timestamp, timestampOrNull } from '../../../shared/times.ts'
import { StoredCauses, StoredCorroboration, StoredGrouping, type StoredIssue } from '../columns.ts'
import { StoredActor } from '../../../workspace/actor.ts'
import { componentRefs, releaseNames, type ReleaseName } from '../../../workspace/releases/names.ts'
import { quietAfterMs, viewFiring, viewRelease, viewStatusDetails } from './status-view.ts'
import { readJson } from '../../../sql/json.ts'
import type { ViewTime } from '../../../shared/view-time.ts'
import { readIssueParts, type IssueParts } from './issue-parts.ts'

export type IssueBody = z.input<typeof Issue>

const newForMs = 7 * dayMs

interface Viewing extends ViewTime {
  keyPrefix: string
}

/** Rows as the contract's issues, in the same order; reads the releases and components that they name. */
export async function viewIssues(
  rows: Rows,
  issues: readonly StoredIssue[],
  { keyPrefix, now, changesAt }: Viewing,
): Promise<IssueBody[]> {
  const corroborations = issues.map((issue) => readJson(StoredCorroboration, issue.corroboration))
  const releaseIds = issues.flatMap((issue) => [issue.first_release_id, issue.last_release_id])
  const componentIds = issues.map((issue) => issue.component_id)
  // All rows belong to the product that has this key prefix.
  const productId = issues[0]?.product_id ?? 0
  // A server answers them at the same time.
  const [releases, components, parts, details] = await Promise.all([
    releaseNames(rows, [...releaseIds, ...corroborations.map(({ release_id }) => release_id)]),
    componentRefs(rows, componentIds),
    readIssueParts(
      rows,
      productId,
      issues.map((issue) => issue.id),
    ),
    viewStatusDetails(rows, productId, issues),
  ])
  for (const issue of issues) for (const time of changeTimes(issue, now)) changesAt?.(time)
  return issues.map((issue, index) => ({
    id: issue.id,
    short_id: `${keyPrefix}-${issue.number}`,
    product_id: String(issue.product_id),
    title: issue.title,
    type: issue.type,
    value: issue.value,
    culprit: issue.culprit,
    level: Level.parse(issue.level),
    platform: issue.platform,
    status: IssueStatus.parse(issue.status),
    substatus: chooseSubstatus(issue, now),
    is_regression: issue.is_regression === 1,
    status_changed_by: issue.status_changed_by === null ? null : readJson(StoredActor, issue.status_changed_by),
    status_changed_at: timestampOrNull(issue.status_changed_at),
    status_note: issue.status_note,
    ...details[index],
    ...viewFiring(issue, now),
    first_seen: timestamp(issue.first_seen),
    last_seen: timestamp(issue.last_seen),
    times_seen: issue.times_seen,
    users_affected: issue.users_affected,
    first_release: viewRelease(releases.get(issue.first_release_id)),
    last_release: viewRelease(releases.get(issue.last_release_id)),
    component: components.get(issue.component_id) ?? null,
    handled: issue.handled === 1,
    corroboration: viewCorroboration(issue, {
      stored: corroborations[index],
      releases,
      files: parts.get(issue.id)?.files ?? 0,
    }),
    vouched_by: viewVouching(issue, parts.get(issue.id)?.vouching),
    grouping: readJson(StoredGrouping, issue.grouping),
    environments: parts.get(issue.id)?.environments ?? [],
    ...(issue.causes !== null && { causes: readJson(StoredCauses, issue.causes) }),
    reopened_count: issue.reopened_count,
    created_at: timestamp(issue.created_at),
    etag: computeEtag(issue.id, issue.version),
  }))
}

/** Empty also for an issue that a member closed and that only events with a public key reopened. */
function viewVouching({ status }: StoredIssue, vouching: IssueParts['vouching']): IssueBody['vouched_by'] {
  if (vouching === undefined || (status === 'unresolved' && vouching.status !== 'unresolved')) return ''
  return VouchedBy.parse(vouching.vouched_by)
}

/**
 * REGRESSED after a regression, until it is resolved again; else QUIET without an occurrence for 14 days, else NEW for
 * 7 days after the first one, else ONGOING.
 */
function chooseSubstatus(
  issue: Pick<StoredIssue, 'is_regression' | 'first_seen' | 'last_seen'>,
  now: number,
): IssueBody['substatus'] {
  if (issue.is_regression === 1) return 'ISSUE_SUBSTATUS_REGRESSED'
  if (issue.last_seen <= now - quietAfterMs) return 'ISSUE_SUBSTATUS_QUIET'
  return issue.first_seen > now - newForMs ? 'ISSUE_SUBSTATUS_NEW' : 'ISSUE_SUBSTATUS_ONGOING'
}

/** When time alone changes the substatus of the issue, or what `viewFiring` says. */
function changeTimes({ first_seen, last_seen, held_last_at }: StoredIssue, now: number): number[] {
  const quiet = [last_seen, held_last_at ?? 0].map((seen) => seen + quietAfterMs)
  return [first_seen + newForMs, ...quiet].filter((time) => time > now)
}

interface CorroborationFacts {
  stored: z.output<typeof StoredCorroboration> | undefined
  releases: ReadonlyMap<string, ReleaseName>
  /** Matched files. */
  files: number
}

function viewCorroboration(
  issue: StoredIssue,
  { stored, releases, files }: CorroborationFacts,
): IssueBody['corroboration'] {
  const { release_id = '', frames_total = 0, frames_symbolicated = 0, sdk_known = false } = stored ?? {}
  const releaseKnown = releases.get(release_id)?.known ?? false
  const signs = [releaseKnown, frames_symbolicated > 0, files > 0, issue.users_affected > 1]
  return {
    release_known: releaseKnown,
    frames_total,
    frames_symbolicated,
    files_matched: files,
    users: issue.users_affected,
    times_seen: issue.times_seen,
    first_seen: timestamp(issue.first_seen),
    sdk_known,
    score: signs.filter(Boolean).length,
    ...(issue.contradicted !== null && { contradicted: issue.contradicted === 1 }),
    ...(issue.suspicious !== null && { suspicious: issue.suspicious === 1 }),
  }
}
