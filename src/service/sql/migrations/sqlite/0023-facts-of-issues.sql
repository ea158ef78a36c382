-- What is remembered of an issue follows its events by last_seq; this numbers every other change of it, in its product
-- (decision 089). 0: there was none. No event sets the column of an issue that it finds.
ALTER TABLE issue ADD COLUMN facts_revision INTEGER NOT NULL DEFAULT 0;
CREATE INDEX issue_facts_revision ON issue (product_id, facts_revision) WHERE facts_revision > 0;
