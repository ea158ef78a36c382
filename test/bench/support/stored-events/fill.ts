import type { DatabaseSync } from 'node:sqlite'
import { activityKeptMs } from '../../../../src/service/workspace/activity.ts'
import { resolutions } from '../../../../src/service/errors/issues/buckets.ts'

/** The number of a fact's place. */
const PLACE =
  'SELECT id FROM place WHERE place.environment_id = fact.environment_id AND place.release_id = fact.release_id'

/** What the columns of an occurrence are taken from; those that are not listed are those of the pattern. */
const fromFact: Readonly<Record<string, string>> = {
  seq: 'fact.seq',
  id: 'fact.id',
  sdk_event_id: 'fact.sdk_event_id',
  timestamp: 'fact.timestamp',
  received_at: 'fact.timestamp',
  place_id: `(${PLACE})`,
  user_hash: 'fact.user_hash',
  summary: "json_set(pattern.summary, '$.environment', fact.environment, '$.release', fact.version)",
  before_first_seen: 'fact.first_before',
  before_last_seen: 'fact.last_before',
  before_times_seen: 'fact.times_before',
}

/** Fills `occurrence` from the facts. Its indices are built at the end, in one go. */
export function fillOccurrences(db: DatabaseSync): void {
  db.exec(
    'INSERT OR IGNORE INTO place (environment_id, release_id) SELECT DISTINCT environment_id, release_id FROM fact',
  )
  const indices = db
    .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'occurrence' AND sql IS NOT NULL")
    .all()
  for (const { name } of indices) db.exec(`DROP INDEX ${String(name)}`)
  const columns = db
    .prepare('SELECT name FROM pragma_table_info(?)')
    .all('occurrence')
    .map(({ name }) => String(name))
  const values = columns.map((column) => fromFact[column] ?? `pattern.${column}`)
  db.exec(`INSERT INTO occurrence (${columns.join(', ')}) SELECT ${values.join(', ')}
    FROM fact CROSS JOIN temp.pattern ON pattern.issue_id = fact.issue_id ORDER BY fact.seq`)
  for (const { sql } of indices) db.exec(String(sql))
}

/** Writes every counter that recording an event adds to, from the facts. `now` is epoch milliseconds. */
export function fillCounters(db: DatabaseSync, now: number): void {
  db.exec(`DELETE FROM issue_presence; DELETE FROM issue_environment; DELETE FROM occurrence_rollup; DELETE FROM issue_user;
    INSERT INTO issue_presence (issue_id, environment_id, release_id, count, first_seen, last_seen)
      SELECT issue_id, environment_id, release_id, count(*), min(timestamp), max(timestamp) FROM fact GROUP BY 1, 2, 3;
    INSERT INTO issue_environment (issue_id, environment_id, count, first_seen, last_seen, first_release_id)
      SELECT issue_id, environment_id, times, min_time, max_time, (SELECT release_id FROM fact WHERE seq = first_seq)
      FROM (SELECT issue_id, environment_id, count(*) AS times, min(timestamp) AS min_time, max(timestamp) AS max_time,
        min(seq) AS first_seq FROM fact GROUP BY 1, 2);
    INSERT INTO issue_user (issue_id, user_hash, environment_id, last_seen)
      SELECT issue_id, user_hash, environment_id, max(timestamp) FROM fact WHERE user_hash <> '' GROUP BY 1, 2, 3`)
  fillRollups(db, now)
  fillActivity(db, now)
  db.exec(`CREATE TEMP TABLE summed AS SELECT issue_id, count(*) AS times, min(seq) AS first_seq, max(seq) AS last_seq,
      count(DISTINCT nullif(user_hash, '')) AS users, max(CASE WHEN release_id <> '' THEN seq END) AS released_seq
      FROM fact GROUP BY issue_id;
    CREATE UNIQUE INDEX temp.summed_issue ON summed (issue_id);
    UPDATE issue SET times_seen = summed.times, users_affected = summed.users, first_seq = summed.first_seq,
      last_seq = summed.last_seq, first_seen = first.timestamp, last_seen = last.timestamp,
      first_release_id = first.release_id, last_release_id = coalesce(released.release_id, ''),
      created_at = first.timestamp, corroboration = json_set(corroboration, '$.release_id', last.release_id)
      FROM summed JOIN fact AS first ON first.seq = summed.first_seq JOIN fact AS last ON last.seq = summed.last_seq
        LEFT JOIN fact AS released ON released.seq = summed.released_seq
      WHERE summed.issue_id = issue.id;
    UPDATE environment SET last_event_at = (SELECT max(last_seen) FROM issue_environment WHERE environment_id = environment.id);
    UPDATE release SET (event_count, first_event_at, last_event_at) =
      (SELECT coalesce(sum(count), 0), min(first_seen), max(last_seen) FROM issue_presence WHERE release_id = release.id)`)
}

/** Rollups that retention would have removed by now are left out. */
function fillRollups(db: DatabaseSync, now: number): void {
  for (const { seconds, keptMs } of resolutions) {
    const width = seconds * 1000
    const kept = Number.isFinite(keptMs) ? now - keptMs : 0
    db.exec(`INSERT INTO occurrence_rollup (issue_id, resolution, bucket, place_id, count)
      SELECT issue_id, ${String(seconds)}, timestamp / ${String(width)} * ${String(width)} AS bucket, (${PLACE}),
        count(*) FROM fact WHERE timestamp / ${String(width)} * ${String(width)} >= ${String(kept)} GROUP BY 1, 3, 4`)
  }
}

/** Sums of the rollups; like them, without what retention would have removed. */
function fillActivity(db: DatabaseSync, now: number): void {
  db.exec(`DELETE FROM activity;
    INSERT INTO activity (subject_id, bucket, count)
      SELECT environment_id, timestamp / 600000 * 600000 AS bucket, count(*) FROM fact
      WHERE timestamp / 600000 * 600000 >= ${String(now - activityKeptMs)} GROUP BY 1, 2;
    INSERT INTO activity (subject_id, bucket, count)
      SELECT component_id, timestamp / 3600000 * 3600000 AS bucket, count(*) FROM fact JOIN issue ON issue.id = issue_id
      WHERE component_id <> '' AND timestamp / 3600000 * 3600000 >= ${String(now - activityKeptMs)} GROUP BY 1, 2`)
}
