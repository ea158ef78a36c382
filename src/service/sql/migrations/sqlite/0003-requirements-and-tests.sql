-- Numbers of the human keys (REQ-12, TC-7), never used twice (contract §0.7).
ALTER TABLE product ADD COLUMN next_requirement_number INTEGER NOT NULL DEFAULT 1;
ALTER TABLE product ADD COLUMN next_test_number INTEGER NOT NULL DEFAULT 1;

CREATE TABLE requirement (
  -- Row of the full-text index.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  product_id INTEGER NOT NULL REFERENCES product (id),
  number INTEGER NOT NULL,
  parent_id TEXT NOT NULL DEFAULT '',
  position INTEGER NOT NULL,
  -- Sorts depth first: of every ancestor and itself, position and number in fixed width.
  tree_path TEXT NOT NULL,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  title TEXT NOT NULL,
  statement TEXT NOT NULL DEFAULT '',
  rationale TEXT NOT NULL DEFAULT '',
  normative INTEGER NOT NULL DEFAULT 1,
  acceptance_criteria TEXT NOT NULL DEFAULT '[]',
  priority TEXT NOT NULL,
  risk TEXT NOT NULL,
  tags TEXT NOT NULL DEFAULT '[]',
  labels TEXT NOT NULL DEFAULT '{}',
  component_ids TEXT NOT NULL DEFAULT '[]',
  code_refs TEXT NOT NULL DEFAULT '[]',
  depends_on_ids TEXT NOT NULL DEFAULT '[]',
  external_refs TEXT NOT NULL DEFAULT '[]',
  source TEXT NOT NULL,
  -- Semantic revision (contract §3); etag_version counts every change.
  version INTEGER NOT NULL DEFAULT 1,
  content_hash TEXT NOT NULL,
  etag_version INTEGER NOT NULL DEFAULT 1,
  created_by TEXT NOT NULL,
  updated_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER,
  UNIQUE (product_id, number)
) STRICT;
CREATE INDEX requirement_tree ON requirement (product_id, tree_path) WHERE deleted_at IS NULL;
CREATE INDEX requirement_parent ON requirement (parent_id, product_id, position) WHERE deleted_at IS NULL;
CREATE INDEX requirement_updated ON requirement (product_id, updated_at DESC, id DESC) WHERE deleted_at IS NULL;

-- What a requirement said at each semantic revision.
CREATE TABLE requirement_version (
  requirement_id TEXT NOT NULL REFERENCES requirement (id),
  version INTEGER NOT NULL,
  title TEXT NOT NULL,
  statement TEXT NOT NULL,
  acceptance_criteria TEXT NOT NULL,
  actor TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (requirement_id, version)
) STRICT, WITHOUT ROWID;

-- The paths and globs of code_refs, to find the requirements of a file without reading all of them.
CREATE TABLE requirement_path (
  product_id INTEGER NOT NULL,
  -- The part before the first wildcard, cut after its last '/'; a path without wildcard as a whole.
  prefix TEXT NOT NULL,
  requirement_id TEXT NOT NULL REFERENCES requirement (id),
  glob TEXT NOT NULL,
  is_literal INTEGER NOT NULL,
  PRIMARY KEY (product_id, prefix, requirement_id, glob)
) STRICT, WITHOUT ROWID;
CREATE INDEX requirement_path_requirement ON requirement_path (requirement_id);

CREATE TABLE requirement_component (
  product_id INTEGER NOT NULL,
  component_id TEXT NOT NULL,
  requirement_id TEXT NOT NULL REFERENCES requirement (id),
  PRIMARY KEY (product_id, component_id, requirement_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX requirement_component_requirement ON requirement_component (requirement_id);

CREATE VIRTUAL TABLE requirement_text USING fts5 (key, title, statement, criteria, tags, tokenize = 'porter unicode61', content = '', contentless_delete = 1);

CREATE TABLE test (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  product_id INTEGER NOT NULL REFERENCES product (id),
  number INTEGER NOT NULL,
  parent_id TEXT NOT NULL DEFAULT '',
  position INTEGER NOT NULL DEFAULT 0,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  level TEXT NOT NULL,
  status TEXT NOT NULL,
  automation TEXT NOT NULL,
  framework TEXT NOT NULL DEFAULT '',
  -- SHA-256 of where the case is in the code (contract §4.2); NULL for suites and cases without a place.
  identity TEXT,
  file_path TEXT NOT NULL DEFAULT '',
  suite_path TEXT NOT NULL DEFAULT '[]',
  name TEXT NOT NULL DEFAULT '',
  project TEXT NOT NULL DEFAULT '',
  line INTEGER NOT NULL DEFAULT 0,
  preconditions TEXT NOT NULL DEFAULT '',
  steps TEXT NOT NULL DEFAULT '[]',
  tags TEXT NOT NULL DEFAULT '[]',
  labels TEXT NOT NULL DEFAULT '{}',
  component_ids TEXT NOT NULL DEFAULT '[]',
  quarantined INTEGER NOT NULL DEFAULT 0,
  quarantine_reason TEXT NOT NULL DEFAULT '',
  -- The newest result in any scope, for lists.
  last_result_id TEXT NOT NULL DEFAULT '',
  last_status TEXT NOT NULL DEFAULT '',
  etag_version INTEGER NOT NULL DEFAULT 1,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER,
  UNIQUE (product_id, number)
) STRICT;
CREATE UNIQUE INDEX test_identity ON test (product_id, identity) WHERE identity IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX test_file ON test (product_id, file_path) WHERE deleted_at IS NULL;
CREATE INDEX test_name ON test (product_id, name) WHERE deleted_at IS NULL;
CREATE INDEX test_framework ON test (product_id, kind, framework) WHERE deleted_at IS NULL;
CREATE INDEX test_parent ON test (parent_id) WHERE deleted_at IS NULL;

-- Where a renamed case was: a report from before the rename still finds it.
CREATE TABLE test_former_identity (
  product_id INTEGER NOT NULL,
  identity TEXT NOT NULL,
  test_id TEXT NOT NULL REFERENCES test (id),
  PRIMARY KEY (product_id, identity)
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE test_text USING fts5 (key, title, suite, file, tags, tokenize = 'porter unicode61', content = '', contentless_delete = 1);

CREATE TABLE test_link (
  test_id TEXT NOT NULL REFERENCES test (id),
  requirement_id TEXT NOT NULL REFERENCES requirement (id),
  product_id INTEGER NOT NULL,
  role TEXT NOT NULL,
  criterion_ids TEXT NOT NULL DEFAULT '[]',
  state TEXT NOT NULL,
  requirement_version INTEGER NOT NULL,
  origin TEXT NOT NULL,
  confidence REAL NOT NULL DEFAULT 1,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  confirmed_at INTEGER,
  -- Set when its requirement was deleted: it counts for nothing.
  archived_at INTEGER,
  PRIMARY KEY (test_id, requirement_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX test_link_requirement ON test_link (requirement_id);

CREATE TABLE test_run (
  id TEXT PRIMARY KEY,
  product_id INTEGER NOT NULL REFERENCES product (id),
  run_key TEXT NOT NULL,
  commit_sha TEXT NOT NULL DEFAULT '',
  git_branch TEXT NOT NULL DEFAULT '',
  environment_id TEXT NOT NULL DEFAULT '',
  release_id TEXT NOT NULL DEFAULT '',
  started_at INTEGER,
  finished_at INTEGER,
  ci_url TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  UNIQUE (product_id, run_key)
) STRICT;

-- One row per run and case: what its attempts come to, in whatever order they were reported.
CREATE TABLE test_result (
  id TEXT PRIMARY KEY,
  product_id INTEGER NOT NULL,
  test_id TEXT NOT NULL REFERENCES test (id),
  run_id TEXT NOT NULL REFERENCES test_run (id),
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  message TEXT NOT NULL DEFAULT '',
  trace TEXT NOT NULL DEFAULT '',
  executed_at INTEGER NOT NULL,
  environment_id TEXT NOT NULL DEFAULT '',
  release_id TEXT NOT NULL DEFAULT '',
  -- JSON: digest of each report of the case in this run, so that the same one counts once.
  reported TEXT NOT NULL,
  UNIQUE (run_id, test_id)
) STRICT;
CREATE INDEX test_result_test ON test_result (test_id, executed_at DESC);
CREATE INDEX test_result_age ON test_result (product_id, executed_at);

-- Coverage of each requirement without a scope (contract §1.2), kept up to date by every write that can change it.
CREATE TABLE requirement_coverage (
  requirement_id TEXT PRIMARY KEY REFERENCES requirement (id),
  product_id INTEGER NOT NULL,
  parent_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  -- JSON of the contract's Coverage by the requirement's own links.
  own TEXT NOT NULL,
  own_state TEXT NOT NULL,
  -- With its children: the worst of all.
  state TEXT NOT NULL,
  failing INTEGER NOT NULL,
  suspect INTEGER NOT NULL,
  flaky INTEGER NOT NULL,
  -- 1 when it counts: normative, not deprecated, and no empty group.
  counts INTEGER NOT NULL,
  is_group INTEGER NOT NULL,
  -- Type of its gap, '' for none; R of contract §9.1; component ids as JSON.
  gap_type TEXT NOT NULL DEFAULT '',
  risk_score REAL NOT NULL DEFAULT 0,
  component_ids TEXT NOT NULL DEFAULT '[]',
  -- When the oldest of the results it rests on becomes too old; NULL when none does.
  stale_at INTEGER
) STRICT;
CREATE INDEX requirement_coverage_parent ON requirement_coverage (parent_id, counts, state);
CREATE INDEX requirement_coverage_state ON requirement_coverage (product_id, counts, is_group, state);
-- All that a scan of gaps reads.
CREATE INDEX requirement_coverage_gap ON requirement_coverage
  (product_id, gap_type, requirement_id, number, own_state, risk_score, component_ids) WHERE gap_type <> '';
CREATE INDEX requirement_coverage_stale ON requirement_coverage (product_id, stale_at) WHERE stale_at IS NOT NULL;

-- Paths of the working tree as the last preparation of a test context gave them.
CREATE TABLE repository_path (
  product_id INTEGER NOT NULL,
  path TEXT NOT NULL,
  PRIMARY KEY (product_id, path)
) STRICT, WITHOUT ROWID;
