-- An environment with one of its releases, as a small number: rows and indices of events held two ids of 36 characters for
-- it (decision 090).
CREATE TABLE place (
  id INTEGER PRIMARY KEY,
  -- '' when no row has the name.
  environment_id TEXT NOT NULL,
  -- '' without a release.
  release_id TEXT NOT NULL,
  UNIQUE (environment_id, release_id)
) STRICT;
INSERT INTO place (environment_id, release_id)
  SELECT environment_id, release_id FROM issue_presence
  UNION SELECT environment_id, release_id FROM occurrence_rollup
  UNION SELECT environment_id, release_id FROM occurrence;

-- At a million occurrences this takes half a minute.
DROP INDEX occurrence_issue;
ALTER TABLE occurrence ADD COLUMN place_id INTEGER NOT NULL DEFAULT 0;
UPDATE occurrence SET place_id = (SELECT id FROM place
  WHERE place.environment_id = occurrence.environment_id AND place.release_id = occurrence.release_id);
ALTER TABLE occurrence DROP COLUMN environment_id;
ALTER TABLE occurrence DROP COLUMN release_id;
-- `seq` comes before the place, because it decides between occurrences of the same time.
CREATE INDEX occurrence_issue ON occurrence (issue_id, timestamp DESC, seq DESC, place_id);

CREATE TABLE rollup (
  issue_id TEXT NOT NULL REFERENCES issue (id),
  resolution INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  place_id INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (issue_id, resolution, bucket, place_id)
) STRICT, WITHOUT ROWID;
INSERT INTO rollup (issue_id, resolution, bucket, place_id, count)
  SELECT issue_id, resolution, bucket, place.id, count
  FROM occurrence_rollup JOIN place USING (environment_id, release_id)
  ORDER BY issue_id, resolution, bucket, place.id;
DROP TABLE occurrence_rollup;
ALTER TABLE rollup RENAME TO occurrence_rollup;
