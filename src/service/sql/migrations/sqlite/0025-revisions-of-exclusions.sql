-- What is remembered of exclusions follows their changes: this numbers each one in its product, from 1 on (decision 094).
-- 0: it has not changed since this column exists.
ALTER TABLE exclusion ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
CREATE INDEX exclusion_revision ON exclusion (product_id, revision) WHERE revision > 0;
