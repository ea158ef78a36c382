import type { Prepare, Rows } from '../sql/database.ts'
import { sendRows } from '../sql/writing/send-rows.ts'
import { hourMs } from '../shared/times.ts'
import type { ViewTime } from '../shared/view-time.ts'
import { noteIssueChange } from './issue-facts/revision.ts'

/** Width of the buckets of an environment and of a component, in milliseconds. */
const widthMs = { environment: 600_000, component: hourMs }
/** A day more than the longest period that is read. */
export const activityKeptMs = 8 * 24 * hourMs

interface Activity {
  /** An environment or a component. */
  subjectId: string
  /** When its bucket begins, in epoch milliseconds. */
  bucket: number
}

/**
 * What an occurrence counts for: its environment and the component of its issue, whose events of the last days are a sum
 * over a few rows (decision 078). Either may be ''.
 */
export function activityOfEvent({
  componentId,
  environmentId,
  timestamp,
}: {
  componentId: string
  environmentId: string
  timestamp: number
}): Activity[] {
  return [
    { subjectId: componentId, bucket: start(timestamp, widthMs.component) },
    { subjectId: environmentId, bucket: start(timestamp, widthMs.environment) },
  ].filter(({ subjectId }) => subjectId !== '')
}

/** Adds the counts, inside the caller's transaction. */
export function writeActivity(prepare: Prepare, rows: readonly (Activity & { count: number })[]): Promise<void> {
  return sendRows(
    prepare,
    {
      insert: 'INSERT INTO activity (subject_id, bucket, count)',
      after: 'ON CONFLICT (bucket, subject_id) DO UPDATE SET count = activity.count + excluded.count',
    },
    rows.map(({ subjectId, bucket, count }) => [subjectId, bucket, count]),
  )
}

function start(time: number, widthMs: number): number {
  return Math.floor(time / widthMs) * widthMs
}

/**
 * Gives an issue to a component, '' for none, inside the caller's transaction; its events go along. Returns whether it
 * had another one.
 */
export async function setComponent(prepare: Prepare, issueId: string, componentId: string): Promise<boolean> {
  const issue = await prepare('SELECT component_id FROM issue WHERE id = ?').get<{ component_id: string }>(issueId)
  if (issue === undefined || issue.component_id === componentId) return false
  await addHours(prepare, issueId, issue.component_id, -1)
  await addHours(prepare, issueId, componentId, 1)
  await prepare('UPDATE issue SET component_id = ? WHERE id = ?').run(componentId, issueId)
  await noteIssueChange(prepare, issueId)
  return true
}

async function addHours(prepare: Prepare, issueId: string, componentId: string, sign: 1 | -1): Promise<void> {
  if (componentId === '') return
  await prepare(
    `INSERT INTO activity (subject_id, bucket, count)
     SELECT ?2, bucket, ?3 * sum(count) FROM occurrence_rollup WHERE issue_id = ?1 AND resolution = 3600 GROUP BY bucket
     ON CONFLICT (bucket, subject_id) DO UPDATE SET count = activity.count + excluded.count`,
  ).run(issueId, componentId, sign)
}

/** Events of each environment or component in the buckets that began in the last `periodMs`, by its id. */
export async function countRecentEvents(
  rows: Rows,
  kind: keyof typeof widthMs,
  { ids, periodMs, now, changesAt }: ViewTime & { ids: readonly string[]; periodMs: number },
): Promise<Map<string, number>> {
  const width = widthMs[kind]
  const first = start(now - periodMs, width) + width
  changesAt?.(first + periodMs)
  const { rows: counts } = await rows.dialect.activitySince(ids, { first, width }).execute(rows)
  return new Map(counts.map(({ subject_id, events }) => [subject_id, events]))
}
