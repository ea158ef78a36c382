import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runRetention } from '../../../../src/service/errors/issues/retention.ts'
import { openSqlite } from '../../../../src/service/sql/sqlite/sqlite.ts'
import { fillDirectory } from './index.ts'
import { storeThroughService } from './patterns.ts'
import { plan } from './plan.ts'
import { addTeamWork } from './team-work.ts'

const size = { issues: 40, occurrences: 400 }
const now = Date.UTC(2026, 10, 21, 12)
const folder = mkdtempSync(join(tmpdir(), 'tracegate-filled-'))
const filled = join(folder, 'filled')
const sent = join(folder, 'sent')

beforeAll(async () => {
  await fillDirectory(filled, size, now)
  const patterns = await storeThroughService(sent, plan(size, now), size.issues)
  const db = await openSqlite(join(sent, 'tracegate.db'))
  await runRetention(db, now)
  await db.close()
  await addTeamWork(sent, patterns, now)
})

afterAll(() => rmSync(folder, { recursive: true }))

/** Members that are ids or hashes, as what they lead to: they differ between two directories with the same contents. */
const place = `coalesce((SELECT name FROM environment WHERE id = environment_id), '') AS environment,
  coalesce((SELECT version FROM release WHERE id = release_id), '') AS release`
const ofIssue = '(SELECT title FROM issue WHERE id = issue_id) AS issue'
const version = (column: string) => `coalesce((SELECT version FROM release WHERE id = ${column}), '') AS ${column}`

test.for([
  [
    'issue',
    `SELECT title, type, value, culprit, level, platform, status, is_regression, status_note, first_seen, last_seen,
      times_seen, users_affected, handled, causes, suspicious, contradicted, first_seq, last_seq, reopened_count,
      held_count, version, ${version('first_release_id')}, ${version('last_release_id')},
      json_remove(corroboration, '$.release_id') AS corroboration, grouping,
      (SELECT name FROM component WHERE component.id = component_id) AS component,
      (SELECT version FROM release WHERE id = json_extract(corroboration, '$.release_id')) AS newest FROM issue`,
  ],
  [
    'occurrence',
    `SELECT seq, product_id, ${ofIssue}, timestamp, received_at, ${place}, user_hash <> '' AS has_user, summary,
      before_first_seen, before_last_seen, before_times_seen, vouched FROM occurrence JOIN place ON place.id = place_id`,
  ],
  ['issue_presence', `SELECT ${ofIssue}, ${place}, count, first_seen, last_seen FROM issue_presence`],
  [
    'issue_environment',
    `SELECT ${ofIssue}, ${place.replace('= release_id', '= first_release_id')}, count, first_seen, last_seen FROM issue_environment`,
  ],
  [
    'occurrence_rollup',
    `SELECT ${ofIssue}, resolution, bucket, ${place}, count FROM occurrence_rollup JOIN place ON place.id = place_id`,
  ],
  [
    'issue_user',
    `SELECT ${ofIssue}, (SELECT name FROM environment WHERE id = environment_id) AS environment, last_seen FROM issue_user`,
  ],
  [
    'activity',
    `SELECT coalesce((SELECT name FROM environment WHERE id = subject_id), (SELECT name FROM component WHERE id = subject_id)) AS subject,
      bucket, count FROM activity`,
  ],
  ['issue_hash', `SELECT product_id, hash, vouched, ${ofIssue} FROM issue_hash`],
  ['issue_frame', `SELECT product_id, path, function, distance, ${ofIssue} FROM issue_frame`],
  ['vouched_issue', `SELECT ${ofIssue}, status, times_seen, last_seen, title, level FROM vouched_issue`],
  ['environment', 'SELECT product_id, name, last_event_at, origin FROM environment WHERE last_event_at IS NOT NULL'],
  [
    'release',
    `SELECT product_id, version, (SELECT name FROM environment WHERE id = environment_id) AS environment, event_count,
      first_event_at, last_event_at FROM release WHERE event_count > 0`,
  ],
] as const)('a filled directory has the rows of %s that the same events leave', ([, query]) => {
  const rows = read(filled, query)
  expect(rows.length).toBeGreaterThan(0)
  expect(rows).toEqual(read(sent, query))
})

function read(dataDir: string, query: string): string[] {
  using db = new DatabaseSync(join(dataDir, 'tracegate.db'))
  return db
    .prepare(query)
    .all()
    .map((row) => JSON.stringify(row))
    .toSorted()
}
