import type { Call } from '../../shared/context.ts'
import type { Rows } from '../../sql/database.ts'
import { readJson } from '../../sql/json.ts'
import { nextFactsRevision } from '../../workspace/issue-facts/revision.ts'
import { StoredGrouping, StoredIgnoreUntil, type StoredIssue } from './columns.ts'

/** What a member's change of a status leaves on an issue (contract §10.3). */
export interface ClosedState {
  status: string
  status_changed_at: number
  resolved_in: string | null
  fixed_in: string | null
  ignore_until: string | null
}

/** A level that is worse has a higher place. */
const levels = ['debug', 'info', 'warning', 'error', 'fatal']

/**
 * A member vouches for an issue as it is now (decision 057), inside the caller's transaction: for its status, level,
 * environments, first releases and regressions. What was vouched for before stays, so that a second time only adds.
 * Returns whether anything changed.
 */
export async function vouchForIssue(rows: Rows, call: Pick<Call, 'now'>, issue: StoredIssue): Promise<boolean> {
  const before = await readVouched(rows, issue.id)
  await keep(rows, issue)
  const isByEvents = before?.vouched_by === 'server_key'
  const reopened = issue.status === 'unresolved' && before !== undefined && before.status !== 'unresolved'
  const regressed = issue.is_regression === 1 && issue.status === 'unresolved'
  await rows
    .updateTable('vouched_issue')
    .set({
      vouched_by: isByEvents ? 'server_key' : 'member',
      ...(!isByEvents && {
        level: worse(before?.vouched_by === 'member' ? before.level : '', issue.level),
      }),
      ...(reopened && { ...open, status_changed_at: call.now() }),
      ...(regressed && before?.regressed_at === null && { regressed_at: issue.status_changed_at ?? call.now() }),
    })
    .where('issue_id', '=', issue.id)
    .execute()
  await rows.updateTable('issue').set({ facts_revision: nextFactsRevision }).where('id', '=', issue.id).execute()
  const regressions = regressed ? await readRegressions(rows, issue.id) : []
  await copyEnvironments(rows, issue.id, (id) => !isByEvents || regressions.some((one) => one.environment_id === id))
  if (regressed) await copyRegressions(rows, issue, regressions)
  return before === undefined || before.vouched_by === '' || reopened
}

/** Of an issue that is not closed. */
const open = {
  status: 'unresolved',
  resolved_in: null,
  fixed_in: null,
  ignore_until: null,
  held_count: 0,
  held_last_at: null,
}

/** Keeps the status that a member gave, which events with a public key do not change; it vouches for nothing else. */
export async function keepClosed(rows: Rows, issue: StoredIssue, closed: ClosedState): Promise<void> {
  await keep(rows, issue)
  const { times_seen: seen } = (await readVouched(rows, issue.id))!
  await rows
    .updateTable('vouched_issue')
    .set({ ...closed, ignore_until: countFrom(closed.ignore_until, seen), held_count: 0, held_last_at: null })
    .where('issue_id', '=', issue.id)
    .execute()
}

/** An ignored issue counts the occurrences that are vouched for. */
function countFrom(stored: string | null, from: number): string | null {
  if (stored === null) return null
  const until = readJson(StoredIgnoreUntil, stored)
  return until.kind === 'count' ? JSON.stringify({ ...until, from }) : stored
}

async function readVouched(rows: Rows, issueId: string) {
  return rows.selectFrom('vouched_issue').selectAll().where('issue_id', '=', issueId).executeTakeFirst()
}

/** A row about the issue as it is, if it has none, and the hash that groups it. */
async function keep(rows: Rows, issue: StoredIssue): Promise<void> {
  const { id, product_id, title, type, level, last_seen, last_release_id, status, status_changed_at } = issue
  const facts = { issue_id: id, product_id, title, type, level, last_seen, last_release_id, status, status_changed_at }
  const inserted = await rows
    .insertInto('vouched_issue')
    .values({ ...facts, regressed_at: null, resolved_in: null, fixed_in: null, ignore_until: null, held_last_at: null })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (inserted.numInsertedOrUpdatedRows === 0n) return
  await rows
    .updateTable('issue_hash')
    .set({ vouched: 1 })
    .where('product_id', '=', product_id)
    .where('hash', '=', readJson(StoredGrouping, issue.grouping).hash)
    .where('issue_id', '=', id)
    .execute()
}

/** Adds the environments that are wanted and not there yet. */
async function copyEnvironments(rows: Rows, issueId: string, wanted: (id: string) => boolean): Promise<void> {
  const places = await rows.selectFrom('issue_environment').selectAll().where('issue_id', '=', issueId).execute()
  for (const { environment_id, first_seen, last_seen, first_release_id } of places) {
    if (!wanted(environment_id)) continue
    await rows
      .insertInto('vouched_environment')
      .values({ issue_id: issueId, environment_id, first_seen, last_seen, first_release_id, regressed_at: null })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

/** Regressions of an issue by environment, the newest last. */
async function readRegressions(rows: Rows, issueId: string) {
  return rows
    .selectFrom('issue_regression')
    .innerJoin('release', 'release.id', 'issue_regression.release_id')
    .select([
      'release.environment_id',
      'issue_regression.release_id as regressed_release_id',
      'issue_regression.at as regressed_at',
    ])
    .where('issue_regression.issue_id', '=', issueId)
    .orderBy('issue_regression.at')
    .execute()
}

/** An occurrence without a release came back everywhere: nothing says in which environment it was. */
async function copyRegressions(
  rows: Rows,
  issue: StoredIssue,
  regressions: Awaited<ReturnType<typeof readRegressions>>,
): Promise<void> {
  const places = () => rows.updateTable('vouched_environment').where('issue_id', '=', issue.id)
  if (regressions.length === 0) await places().set({ regressed_at: issue.status_changed_at }).execute()
  for (const { environment_id: id, ...regression } of regressions) {
    await places().set(regression).where('environment_id', '=', id).execute()
  }
}

function worse(left: string, right: string): string {
  return levels.indexOf(left) > levels.indexOf(right) ? left : right
}
