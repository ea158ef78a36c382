-- Events of environments by ten minutes and of components by hour: their sums without the issues (decision 078).
CREATE TABLE activity (
  -- Id of an environment or a component.
  subject_id TEXT NOT NULL,
  -- Start of the bucket.
  bucket INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (subject_id, bucket)
) STRICT, WITHOUT ROWID;
INSERT INTO activity (subject_id, bucket, count)
  SELECT environment_id, bucket, sum(count) FROM occurrence_rollup
  WHERE resolution = 600 AND environment_id <> '' GROUP BY environment_id, bucket;
INSERT INTO activity (subject_id, bucket, count)
  SELECT issue.component_id, bucket, sum(count) FROM occurrence_rollup JOIN issue ON issue.id = issue_id
  WHERE resolution = 3600 AND bucket > (unixepoch() - 8 * 86400) * 1000 AND component_id <> '' GROUP BY component_id, bucket;

-- With the columns of filters, so that a page and its total are read without the occurrences. At a million occurrences the
-- new index takes seconds.
DROP INDEX occurrence_issue;
CREATE INDEX occurrence_issue ON occurrence (issue_id, timestamp DESC, id DESC, environment_id, release_id);

-- Covering: without it SQLite prefers to read all paths of the product.
DROP INDEX requirement_path_name;
CREATE INDEX requirement_path_name ON requirement_path (product_id, base_name, is_literal);

-- Numbers of issues by status. No event changes these columns of an issue.
CREATE INDEX issue_component ON issue (product_id, component_id, status);

-- What it answered is read from issue_environment.
DROP INDEX issue_presence_environment;
