-- Times are integer milliseconds since 1970 (UTC). JSON columns hold what the contract's shapes name. Ids are UUIDv7 text,
-- product ids are integers because Sentry SDKs accept only decimal ones.

CREATE TABLE workspace (
  id TEXT PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE user (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL UNIQUE,
  display_name TEXT NOT NULL,
  completed_steps TEXT NOT NULL DEFAULT '[]',
  onboarding_dismissed INTEGER NOT NULL DEFAULT 0,
  onboarding_updated_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE workspace_member (
  workspace_id TEXT NOT NULL REFERENCES workspace (id),
  user_id TEXT NOT NULL REFERENCES user (id),
  role TEXT NOT NULL,
  PRIMARY KEY (workspace_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE token (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES user (id),
  name TEXT NOT NULL,
  -- SHA-256 of the token, hex; the token itself is never stored.
  hash TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  is_agent INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER
) STRICT;

CREATE TABLE product (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id TEXT NOT NULL REFERENCES workspace (id),
  slug TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  -- Unique in the deployment, so that a key such as SHOP-31 finds its product.
  key_prefix TEXT NOT NULL UNIQUE,
  repository TEXT NOT NULL,
  gate_policy TEXT NOT NULL,
  settings TEXT NOT NULL,
  setup_state TEXT NOT NULL DEFAULT 'SETUP_STATE_INCOMPLETE',
  next_issue_number INTEGER NOT NULL DEFAULT 1,
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (workspace_id, slug)
) STRICT;

CREATE TABLE dsn_key (
  public_key TEXT PRIMARY KEY,
  product_id INTEGER NOT NULL REFERENCES product (id),
  -- Events per second and burst; NULL is the specification's default, 0 is no limit.
  rate_per_second REAL,
  burst INTEGER,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX dsn_key_product ON dsn_key (product_id);

CREATE TABLE component (
  id TEXT PRIMARY KEY,
  product_id INTEGER NOT NULL REFERENCES product (id),
  parent_id TEXT NOT NULL DEFAULT '',
  name TEXT NOT NULL,
  slug TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  path_globs TEXT NOT NULL,
  exclude_globs TEXT NOT NULL DEFAULT '[]',
  owners TEXT NOT NULL DEFAULT '[]',
  criticality TEXT NOT NULL DEFAULT 'RISK_LEVEL_MEDIUM',
  position INTEGER NOT NULL DEFAULT 0,
  tags TEXT NOT NULL DEFAULT '[]',
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (product_id, slug)
) STRICT;

CREATE TABLE environment (
  id TEXT PRIMARY KEY,
  product_id INTEGER NOT NULL REFERENCES product (id),
  name TEXT NOT NULL,
  -- Case-folded name: names are unique case-insensitively.
  name_key TEXT NOT NULL,
  kind TEXT NOT NULL,
  exposure_weight REAL NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  origin TEXT NOT NULL,
  last_event_at INTEGER,
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;
CREATE UNIQUE INDEX environment_name ON environment (product_id, name_key) WHERE deleted_at IS NULL;

CREATE TABLE release (
  id TEXT PRIMARY KEY,
  product_id INTEGER NOT NULL REFERENCES product (id),
  environment_id TEXT NOT NULL REFERENCES environment (id),
  version TEXT NOT NULL,
  commit_sha TEXT NOT NULL DEFAULT '',
  git_branch TEXT NOT NULL DEFAULT '',
  url TEXT NOT NULL DEFAULT '',
  notes TEXT NOT NULL DEFAULT '',
  released_at INTEGER,
  origin TEXT NOT NULL,
  event_count INTEGER NOT NULL DEFAULT 0,
  first_event_at INTEGER,
  last_event_at INTEGER,
  etag_version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (product_id, version, environment_id)
) STRICT;
CREATE INDEX release_environment ON release (environment_id);

CREATE TABLE issue (
  id TEXT PRIMARY KEY,
  product_id INTEGER NOT NULL REFERENCES product (id),
  number INTEGER NOT NULL,
  title TEXT NOT NULL,
  type TEXT NOT NULL,
  value TEXT NOT NULL,
  culprit TEXT NOT NULL,
  level TEXT NOT NULL,
  platform TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'unresolved',
  is_regression INTEGER NOT NULL DEFAULT 0,
  status_changed_by TEXT,
  status_changed_at INTEGER,
  status_note TEXT NOT NULL DEFAULT '',
  -- JSON: per environment the newest release known when it was resolved; decides what a regression is.
  resolved_in TEXT,
  first_seen INTEGER NOT NULL,
  last_seen INTEGER NOT NULL,
  times_seen INTEGER NOT NULL,
  users_affected INTEGER NOT NULL DEFAULT 0,
  first_release_id TEXT NOT NULL DEFAULT '',
  last_release_id TEXT NOT NULL DEFAULT '',
  component_id TEXT NOT NULL DEFAULT '',
  handled INTEGER NOT NULL,
  corroboration TEXT NOT NULL,
  grouping TEXT NOT NULL,
  reopened_count INTEGER NOT NULL DEFAULT 0,
  -- occurrence.seq of the first and the newest commit: what a page token's as_of is compared with.
  first_seq INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  UNIQUE (product_id, number)
) STRICT;
CREATE INDEX issue_last_seen ON issue (product_id, last_seen DESC, id DESC);
CREATE INDEX issue_first_seen ON issue (product_id, first_seen DESC, id DESC);
CREATE INDEX issue_times_seen ON issue (product_id, times_seen DESC, id DESC);
CREATE INDEX issue_last_seq ON issue (product_id, last_seq);
CREATE INDEX issue_first_release ON issue (first_release_id) WHERE first_release_id <> '';

CREATE TABLE issue_hash (
  product_id INTEGER NOT NULL,
  hash TEXT NOT NULL,
  issue_id TEXT NOT NULL REFERENCES issue (id),
  PRIMARY KEY (product_id, hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE occurrence (
  -- The order in which occurrences were committed; never reused.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  product_id INTEGER NOT NULL,
  issue_id TEXT NOT NULL REFERENCES issue (id),
  sdk_event_id TEXT NOT NULL,
  timestamp INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  environment_id TEXT NOT NULL,
  release_id TEXT NOT NULL DEFAULT '',
  user_hash TEXT NOT NULL DEFAULT '',
  -- JSON of the EventSummary members that lists show and no other column holds.
  summary TEXT NOT NULL,
  -- zstd of the JSON of the normalised event and its raw payload.
  body BLOB,
  size_bytes INTEGER NOT NULL,
  -- The issue's sort values before this occurrence: how a page that began earlier goes on ordering it (decision 010).
  before_first_seen INTEGER,
  before_last_seen INTEGER,
  before_times_seen INTEGER NOT NULL,
  UNIQUE (product_id, sdk_event_id)
) STRICT;
-- For retention by age.
CREATE INDEX occurrence_age ON occurrence (product_id, received_at);
CREATE INDEX occurrence_issue ON occurrence (issue_id, timestamp DESC, id DESC);
CREATE INDEX occurrence_issue_seq ON occurrence (issue_id, seq);

-- One row per issue, environment and release: filters and per-environment counts without touching occurrences.
CREATE TABLE issue_presence (
  issue_id TEXT NOT NULL REFERENCES issue (id),
  environment_id TEXT NOT NULL,
  release_id TEXT NOT NULL DEFAULT '',
  count INTEGER NOT NULL,
  first_seen INTEGER NOT NULL,
  last_seen INTEGER NOT NULL,
  PRIMARY KEY (issue_id, environment_id, release_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX issue_presence_environment ON issue_presence (environment_id, issue_id);
CREATE INDEX issue_presence_release ON issue_presence (release_id, issue_id);

-- The last time a user met the issue in an environment: users of any trailing window, also after retention.
CREATE TABLE issue_user (
  issue_id TEXT NOT NULL REFERENCES issue (id),
  user_hash TEXT NOT NULL,
  environment_id TEXT NOT NULL,
  last_seen INTEGER NOT NULL,
  PRIMARY KEY (issue_id, user_hash, environment_id)
) STRICT, WITHOUT ROWID;

-- Issues that came back in a release.
CREATE TABLE issue_regression (
  release_id TEXT NOT NULL,
  issue_id TEXT NOT NULL REFERENCES issue (id),
  at INTEGER NOT NULL,
  PRIMARY KEY (release_id, issue_id)
) STRICT, WITHOUT ROWID;

-- Counts per bucket at three resolutions (seconds): 10 kept for hours, 600 for days, 3600 for good.
CREATE TABLE occurrence_rollup (
  issue_id TEXT NOT NULL REFERENCES issue (id),
  resolution INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  environment_id TEXT NOT NULL,
  release_id TEXT NOT NULL DEFAULT '',
  count INTEGER NOT NULL,
  PRIMARY KEY (issue_id, resolution, bucket, environment_id, release_id)
) STRICT, WITHOUT ROWID;
-- For retention: the fine resolutions are pruned by age.
CREATE INDEX occurrence_rollup_age ON occurrence_rollup (resolution, bucket) WHERE resolution < 3600;

CREATE TABLE issue_history (
  id TEXT PRIMARY KEY,
  issue_id TEXT NOT NULL REFERENCES issue (id),
  from_status TEXT NOT NULL,
  to_status TEXT NOT NULL,
  actor TEXT NOT NULL,
  at INTEGER NOT NULL,
  note TEXT NOT NULL DEFAULT '',
  reason TEXT NOT NULL
) STRICT;
CREATE INDEX issue_history_issue ON issue_history (issue_id, at DESC);

-- What SDKs say they dropped before sending (client_report items).
CREATE TABLE dropped_by_sdk (
  product_id INTEGER NOT NULL,
  reason TEXT NOT NULL,
  category TEXT NOT NULL,
  quantity INTEGER NOT NULL,
  PRIMARY KEY (product_id, reason, category)
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
  id TEXT PRIMARY KEY,
  actor TEXT NOT NULL,
  at INTEGER NOT NULL,
  verb TEXT NOT NULL,
  resource_type TEXT NOT NULL,
  resource_id TEXT NOT NULL,
  before_hash TEXT NOT NULL DEFAULT '',
  after_hash TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE TABLE idempotency (
  token_id TEXT NOT NULL,
  key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  status INTEGER NOT NULL,
  response TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (token_id, key)
) STRICT, WITHOUT ROWID;
