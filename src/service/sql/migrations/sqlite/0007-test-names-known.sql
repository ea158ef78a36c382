-- Whether members vouch for title and place of a test (contract §4.4); of those stored before, nobody knows.
ALTER TABLE test ADD COLUMN names_known INTEGER NOT NULL DEFAULT 0;
