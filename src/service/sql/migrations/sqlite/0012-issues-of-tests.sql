-- The issue that a test reproduces, '' for none, and whether a report gave it: one that a member gave stays.
ALTER TABLE test ADD COLUMN issue_id TEXT NOT NULL DEFAULT '';
ALTER TABLE test ADD COLUMN issue_reported INTEGER NOT NULL DEFAULT 0;
