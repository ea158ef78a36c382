-- The key of an event: `public` ones are in web pages and apps, `server` ones stay with the team (decision 057).
ALTER TABLE dsn_key ADD COLUMN kind TEXT NOT NULL DEFAULT 'public';
ALTER TABLE dsn_key ADD COLUMN name TEXT NOT NULL DEFAULT '';
-- 1: the event came with a server key.
ALTER TABLE occurrence ADD COLUMN vouched INTEGER NOT NULL DEFAULT 0;
-- 1: an event with a server key, or a member, says that this hash leads to the issue.
ALTER TABLE issue_hash ADD COLUMN vouched INTEGER NOT NULL DEFAULT 0;
-- When a token or an event with a server key first named the release in its environment; null until then.
ALTER TABLE release ADD COLUMN vouched_at INTEGER;
UPDATE release SET vouched_at = created_at WHERE origin NOT IN ('ORIGIN_EVENT', 'ORIGIN_TEST_RUN');

-- An issue as members and events with a server key know it: events with a public key never change a row.
CREATE TABLE vouched_issue (
  issue_id TEXT PRIMARY KEY REFERENCES issue (id),
  product_id INTEGER NOT NULL,
  -- 'server_key', 'member', or '' while a member has only closed the issue.
  vouched_by TEXT NOT NULL DEFAULT '',
  -- When the first event with a server key came.
  started_at INTEGER,
  title TEXT NOT NULL,
  type TEXT NOT NULL,
  level TEXT NOT NULL,
  last_seen INTEGER NOT NULL,
  last_release_id TEXT NOT NULL DEFAULT '',
  -- Of events with a server key.
  times_seen INTEGER NOT NULL DEFAULT 0,
  -- The members of `issue` with these names, as they were without the events that nothing vouches for.
  status TEXT NOT NULL,
  status_changed_at INTEGER,
  resolved_in TEXT,
  fixed_in TEXT,
  ignore_until TEXT,
  held_count INTEGER NOT NULL DEFAULT 0,
  held_last_at INTEGER,
  -- The newest time that it came back after a fix; stays when it is resolved again.
  regressed_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX vouched_issue_started ON vouched_issue (product_id, started_at) WHERE started_at IS NOT NULL;
CREATE INDEX vouched_issue_regressed ON vouched_issue (product_id) WHERE regressed_at IS NOT NULL;
CREATE INDEX vouched_issue_held ON vouched_issue (product_id) WHERE held_last_at IS NOT NULL;
CREATE TABLE vouched_environment (
  issue_id TEXT NOT NULL REFERENCES issue (id),
  environment_id TEXT NOT NULL,
  first_seen INTEGER NOT NULL,
  last_seen INTEGER NOT NULL,
  -- Release of the first occurrence there, '' without one.
  first_release_id TEXT NOT NULL DEFAULT '',
  -- When and in which release ('' without one) it last came back there.
  regressed_at INTEGER,
  regressed_release_id TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (issue_id, environment_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX vouched_environment_first_release ON vouched_environment (first_release_id, issue_id) WHERE first_release_id <> '';
CREATE INDEX vouched_environment_first_seen ON vouched_environment (environment_id, first_seen);
-- What only events with a public key say is counted apart.
CREATE INDEX issue_environment_first_seen ON issue_environment (environment_id, first_seen);
CREATE INDEX issue_regressed ON issue (product_id) WHERE is_regression = 1;
CREATE INDEX issue_reopened ON issue (product_id) WHERE reopened_count > 0;

INSERT INTO vouched_issue (issue_id, product_id, title, type, level, last_seen, last_release_id, status,
    status_changed_at, resolved_in, fixed_in, ignore_until, held_count, held_last_at)
  SELECT id, product_id, title, type, level, last_seen, last_release_id, status,
    status_changed_at, resolved_in, fixed_in, NULL, held_count, held_last_at
  FROM issue WHERE status <> 'unresolved';
UPDATE vouched_issue SET ignore_until =
  (SELECT CASE json_extract(ignore_until, '$.kind') WHEN 'count' THEN json_set(ignore_until, '$.from', 0) ELSE ignore_until END
   FROM issue WHERE id = issue_id) WHERE status = 'ignored';
UPDATE issue_hash SET vouched = 1 WHERE (product_id, hash) IN
  (SELECT product_id, json_extract(grouping, '$.hash') FROM issue WHERE status <> 'unresolved');
