-- The issues whose bodies need a dictionary: retention finds out there whether it is still used, so that events need no
-- index by dictionary (decision 092). Stays until the dictionary goes.
CREATE TABLE body_dictionary_issue (
  dictionary_id INTEGER NOT NULL,
  issue_id TEXT NOT NULL,
  PRIMARY KEY (dictionary_id, issue_id)
) STRICT, WITHOUT ROWID;
INSERT INTO body_dictionary_issue (dictionary_id, issue_id)
  SELECT DISTINCT dictionary_id, issue_id FROM occurrence WHERE dictionary_id IS NOT NULL;
DROP INDEX occurrence_dictionary;

-- What came after a commit is read from the end of the table, or from the other index of an issue's occurrences.
DROP INDEX occurrence_issue_seq;

-- Each event moved the entry of its issue. A list by this sorts the product's issues.
DROP INDEX issue_times_seen;

-- Counters of one time are neighbours: an event changes one page for its three resolutions, and the events of a commit few
-- for their environments and components.
CREATE TABLE rollup (
  issue_id TEXT NOT NULL REFERENCES issue (id),
  resolution INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  place_id INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (issue_id, bucket, resolution, place_id)
) STRICT, WITHOUT ROWID;
INSERT INTO rollup (issue_id, resolution, bucket, place_id, count)
  SELECT issue_id, resolution, bucket, place_id, count FROM occurrence_rollup
  ORDER BY issue_id, bucket, resolution, place_id;
DROP TABLE occurrence_rollup;
ALTER TABLE rollup RENAME TO occurrence_rollup;

CREATE TABLE activity_by_time (
  -- Id of an environment or a component.
  subject_id TEXT NOT NULL,
  -- Start of the bucket.
  bucket INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (bucket, subject_id)
) STRICT, WITHOUT ROWID;
INSERT INTO activity_by_time (subject_id, bucket, count)
  SELECT subject_id, bucket, count FROM activity ORDER BY bucket, subject_id;
DROP TABLE activity;
ALTER TABLE activity_by_time RENAME TO activity;

-- A release belongs to one environment: what occurred in it is found by the primary key, issue by issue.
DROP INDEX issue_presence_release;
