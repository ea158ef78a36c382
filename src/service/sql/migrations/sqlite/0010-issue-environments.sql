-- One row per issue and environment: where an issue occurs, and the release that brought it there.
CREATE TABLE issue_environment (
  issue_id TEXT NOT NULL REFERENCES issue (id),
  environment_id TEXT NOT NULL,
  count INTEGER NOT NULL,
  first_seen INTEGER NOT NULL,
  last_seen INTEGER NOT NULL,
  -- Release of the first occurrence there, '' without one.
  first_release_id TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (issue_id, environment_id)
) STRICT, WITHOUT ROWID;
INSERT INTO issue_environment (issue_id, environment_id, count, first_seen, last_seen, first_release_id)
  SELECT issue_id, environment_id, sum(count), min(first_seen), max(last_seen),
    (SELECT release_id FROM issue_presence AS earliest
     WHERE earliest.issue_id = issue_presence.issue_id AND earliest.environment_id = issue_presence.environment_id
     ORDER BY first_seen, last_seen LIMIT 1)
  FROM issue_presence GROUP BY issue_id, environment_id;
-- New issues of a release.
CREATE INDEX issue_environment_first_release ON issue_environment (first_release_id, issue_id) WHERE first_release_id <> '';
DROP INDEX issue_first_release;

-- JSON: types of the exceptions that caused the newest occurrence, the root cause last; NULL where nobody looked.
ALTER TABLE issue ADD COLUMN causes TEXT;
