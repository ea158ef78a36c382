-- Stored coverage gets members that older versions did not store: it is renewed before the next read.
UPDATE requirement_coverage SET stale_at = 0;
