-- The content key of a report that is being stored, '' when all are complete.
ALTER TABLE test_run ADD COLUMN incomplete TEXT NOT NULL DEFAULT '';
