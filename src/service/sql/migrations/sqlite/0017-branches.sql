-- Branches of the requirement and test tree, their changes and link proposals (contract §5).

-- Grows with every committed change of the tree: requirements, tests and links.
ALTER TABLE product ADD COLUMN tree_revision INTEGER NOT NULL DEFAULT 0;
ALTER TABLE requirement ADD COLUMN superseded_by_id TEXT NOT NULL DEFAULT '';
-- Set only while a branch is replayed, in a transaction that is rolled back: the branch that created or changed the row.
ALTER TABLE requirement ADD COLUMN branch_id TEXT NOT NULL DEFAULT '';
ALTER TABLE test ADD COLUMN branch_id TEXT NOT NULL DEFAULT '';

CREATE TABLE branch (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  product_id INTEGER NOT NULL REFERENCES product (id),
  name TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  state TEXT NOT NULL DEFAULT 'BRANCH_STATE_OPEN',
  git_ref TEXT NOT NULL DEFAULT '',
  source_kind TEXT NOT NULL DEFAULT 'BRANCH_SOURCE_MANUAL',
  agent_run_id TEXT NOT NULL DEFAULT '',
  -- Revisions of the main tree, when the branch was created and when it was merged.
  base_revision INTEGER NOT NULL,
  merged_revision INTEGER NOT NULL DEFAULT 0,
  -- Grows with every change of the branch and of its link proposals.
  head_revision INTEGER NOT NULL DEFAULT 0,
  -- Provisional keys: REQ-?1, TC-?1.
  next_requirement_number INTEGER NOT NULL DEFAULT 1,
  next_test_number INTEGER NOT NULL DEFAULT 1,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  merged_by TEXT,
  merged_at INTEGER
) STRICT;
CREATE UNIQUE INDEX branch_open_name ON branch (product_id, name) WHERE state = 'BRANCH_STATE_OPEN';
CREATE INDEX branch_newest ON branch (product_id, state, seq DESC);

-- What a branch does to one requirement or test.
CREATE TABLE branch_change (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  branch_id TEXT NOT NULL REFERENCES branch (id),
  product_id INTEGER NOT NULL,
  -- requirement or test.
  entity_type TEXT NOT NULL,
  entity_id TEXT NOT NULL,
  operation TEXT NOT NULL,
  -- Of what the branch creates: the number of its provisional key, positive; else 0.
  provisional_number INTEGER NOT NULL DEFAULT 0,
  -- JSON, by member: the values in the main tree when the branch first touched them, and those of the branch.
  base TEXT NOT NULL DEFAULT '{}',
  fields TEXT NOT NULL DEFAULT '{}',
  needs_decision INTEGER NOT NULL DEFAULT 0,
  note TEXT NOT NULL DEFAULT '',
  -- Head revision of the branch when the change was last written.
  revision INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_by TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (branch_id, entity_type, entity_id)
) STRICT;
CREATE INDEX branch_change_entity ON branch_change (entity_id, branch_id);

CREATE TABLE link_proposal (
  id TEXT PRIMARY KEY,
  branch_id TEXT NOT NULL REFERENCES branch (id),
  product_id INTEGER NOT NULL,
  test_id TEXT NOT NULL,
  requirement_id TEXT NOT NULL,
  action TEXT NOT NULL,
  role TEXT NOT NULL,
  criterion_ids TEXT NOT NULL DEFAULT '[]',
  state TEXT NOT NULL DEFAULT 'LINK_PROPOSAL_STATE_PENDING',
  confidence REAL NOT NULL DEFAULT 1,
  rationale TEXT NOT NULL DEFAULT '',
  -- JSON: [{name, value}].
  signals TEXT NOT NULL DEFAULT '[]',
  origin TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  reviewed_by TEXT,
  reviewed_at INTEGER,
  review_note TEXT NOT NULL DEFAULT '',
  UNIQUE (branch_id, test_id, requirement_id, action)
) STRICT;
CREATE INDEX link_proposal_list ON link_proposal (branch_id, state, confidence DESC, id);
