-- Changes that take an item out of a condition of the quality gate without an accepted risk (contract §7.2).
CREATE TABLE exclusion (
  id TEXT PRIMARY KEY,
  product_id INTEGER NOT NULL REFERENCES product (id),
  kind TEXT NOT NULL,
  item_type TEXT NOT NULL,
  -- Of a link: the id of its test, a slash, the id of its requirement.
  item_id TEXT NOT NULL,
  -- What the item was before, where taking the change back has to know it: a status, or the version of a suspect link.
  was TEXT NOT NULL DEFAULT '',
  actor TEXT NOT NULL,
  by_agent INTEGER NOT NULL,
  at INTEGER NOT NULL,
  reason TEXT NOT NULL DEFAULT '',
  -- The person who made it or has seen it; NULL: no person has.
  reviewed_by TEXT,
  reviewed_at INTEGER,
  review_note TEXT NOT NULL DEFAULT '',
  -- When the item is in again: the end of a quarantine is in the future.
  ended_at INTEGER
) STRICT;
CREATE INDEX exclusion_item ON exclusion (item_id, kind);
CREATE INDEX exclusion_newest ON exclusion (product_id, at DESC);

-- A test is in quarantine until this time; NULL: it never was, or it was taken out.
ALTER TABLE test ADD COLUMN quarantined_until INTEGER;
ALTER TABLE test ADD COLUMN quarantine_owner TEXT NOT NULL DEFAULT '';
-- 30 days, the longest time that a quarantine may be given.
UPDATE test SET quarantined_until = (unixepoch() + 2592000) * 1000 WHERE quarantined = 1;
ALTER TABLE test DROP COLUMN quarantined;
UPDATE requirement_coverage SET stale_at = 0
  WHERE product_id IN (SELECT product_id FROM test WHERE quarantined_until IS NOT NULL);

-- Exclusions from before, as far as it is stored who made them. An actor of which nothing is stored is the system.
INSERT INTO exclusion (id, product_id, kind, item_type, item_id, actor, by_agent, at, reason, ended_at)
  SELECT lower(hex(randomblob(16))), product_id, 'quarantined', 'test', id,
    '{"type":"ACTOR_TYPE_SYSTEM","id":"tracegate","display_name":"Tracegate","user_id":""}', 0, updated_at,
    quarantine_reason, quarantined_until
  FROM test WHERE quarantined_until IS NOT NULL AND deleted_at IS NULL;
INSERT INTO exclusion (id, product_id, kind, item_type, item_id, actor, by_agent, at, reason)
  SELECT lower(hex(randomblob(16))), product_id, 'issue_' || status, 'issue', id,
    coalesce(status_changed_by, '{"type":"ACTOR_TYPE_SYSTEM","id":"tracegate","display_name":"Tracegate","user_id":""}'),
    0, coalesce(status_changed_at, last_seen), status_note
  FROM issue WHERE status IN ('ignored', 'resolved');
INSERT INTO exclusion (id, product_id, kind, item_type, item_id, was, actor, by_agent, at)
  SELECT lower(hex(randomblob(16))), product_id, 'requirement_deprecated', 'requirement', id,
    'REQUIREMENT_STATUS_APPROVED', updated_by, 0, updated_at
  FROM requirement WHERE status = 'REQUIREMENT_STATUS_DEPRECATED' AND deleted_at IS NULL;
UPDATE exclusion SET by_agent = 1 WHERE json_extract(actor, '$.type') = 'ACTOR_TYPE_AGENT';
UPDATE exclusion SET reviewed_by = actor, reviewed_at = at
  WHERE json_extract(actor, '$.type') IN ('ACTOR_TYPE_USER', 'ACTOR_TYPE_API_TOKEN');
