-- What reopens a resolved or ignored issue (contract §10.3), as JSON; null where the status was set without it.
ALTER TABLE issue ADD COLUMN fixed_in TEXT;
ALTER TABLE issue ADD COLUMN ignore_until TEXT;
-- Occurrences since it was resolved that did not reopen it, although nothing shows that they are older than the fix.
ALTER TABLE issue ADD COLUMN held_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE issue ADD COLUMN held_last_at INTEGER;
ALTER TABLE issue_history ADD COLUMN fixed_in TEXT;
ALTER TABLE issue_history ADD COLUMN ignore_until TEXT;

-- Releases that someone other than the sender of events vouches for (contract §6).
CREATE INDEX release_known ON release (environment_id) WHERE origin NOT IN ('ORIGIN_EVENT', 'ORIGIN_TEST_RUN');
CREATE INDEX release_commit ON release (product_id, commit_sha) WHERE commit_sha <> '';
