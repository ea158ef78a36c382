-- Retention goes through the issues: the index was written at a random place with every occurrence.
DROP INDEX occurrence_rollup_age;
