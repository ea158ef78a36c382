-- Who holds a token: a person, an agent or a CI system.
ALTER TABLE token ADD COLUMN kind TEXT NOT NULL DEFAULT 'person';
UPDATE token SET kind = 'agent' WHERE is_agent = 1;
ALTER TABLE token DROP COLUMN is_agent;

-- 'mcp' when a tool of an MCP server made the change.
ALTER TABLE audit ADD COLUMN via TEXT NOT NULL DEFAULT '';

-- Environments in which the person who accepts a risk may approve it: none.
UPDATE product SET settings = json_set(settings, '$.single_user_approval', json('[]'));

CREATE TABLE risk (
  id TEXT PRIMARY KEY,
  product_id INTEGER NOT NULL REFERENCES product (id),
  -- As it was last set; an approved or pending one past `expires_at` does not count, whatever this says.
  state TEXT NOT NULL,
  condition_ids TEXT NOT NULL,
  requirement_ids TEXT NOT NULL,
  issue_ids TEXT NOT NULL,
  test_ids TEXT NOT NULL,
  -- [{type, id}], sorted, fixed when it was accepted.
  covered_evidence TEXT NOT NULL,
  release_id TEXT NOT NULL DEFAULT '',
  environment_id TEXT NOT NULL DEFAULT '',
  release_line TEXT NOT NULL DEFAULT '',
  reason TEXT NOT NULL,
  mitigation TEXT NOT NULL DEFAULT '',
  ticket_url TEXT NOT NULL DEFAULT '',
  severity TEXT NOT NULL,
  accepted_by TEXT NOT NULL,
  accepted_way TEXT NOT NULL,
  accepted_at INTEGER NOT NULL,
  approved_by TEXT,
  decided_by TEXT,
  decided_way TEXT,
  decided_at INTEGER,
  decision_note TEXT NOT NULL DEFAULT '',
  expires_at INTEGER NOT NULL,
  renews_risk_id TEXT NOT NULL DEFAULT '',
  verdict_id TEXT NOT NULL,
  version INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX risk_of_product ON risk (product_id, state, expires_at);
