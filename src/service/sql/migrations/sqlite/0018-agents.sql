-- Agent configs, their runs, and the events of a run (contract §8).

CREATE TABLE agent_config (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  product_id INTEGER NOT NULL REFERENCES product (id),
  agent_type_id TEXT NOT NULL,
  name TEXT NOT NULL,
  enabled INTEGER NOT NULL DEFAULT 1,
  -- JSON: the input of its runs, as it was given.
  input TEXT NOT NULL DEFAULT '{}',
  allow_concurrent INTEGER NOT NULL DEFAULT 0,
  timeout_seconds INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (product_id, name)
) STRICT;

CREATE TABLE agent_run (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  product_id INTEGER NOT NULL REFERENCES product (id),
  -- The config may be deleted since.
  agent_config_id TEXT NOT NULL,
  agent_type_id TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'AGENT_RUN_STATE_QUEUED',
  -- Grows with every change of the row that a reader can see.
  revision INTEGER NOT NULL DEFAULT 0,
  run_trigger TEXT NOT NULL DEFAULT 'AGENT_TRIGGER_MANUAL',
  -- JSON: the config's input with that of the request, with all defaults.
  input TEXT NOT NULL,
  timeout_seconds INTEGER NOT NULL,
  -- JSON, when the run has succeeded.
  output TEXT,
  summary TEXT NOT NULL DEFAULT '',
  branch_id TEXT NOT NULL DEFAULT '',
  -- JSON: a list of texts.
  truncation_signals TEXT NOT NULL DEFAULT '[]',
  progress_phase TEXT NOT NULL DEFAULT '',
  progress_done INTEGER NOT NULL DEFAULT 0,
  progress_total INTEGER NOT NULL DEFAULT 0,
  error_code TEXT NOT NULL DEFAULT '',
  error_message TEXT NOT NULL DEFAULT '',
  started_by TEXT NOT NULL,
  -- JSON: the caller that started it, with the rights of that time, which are those of the run.
  principal TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  finished_at INTEGER,
  cancel_requested_at INTEGER,
  last_sequence INTEGER NOT NULL DEFAULT 0,
  -- Grows with each process that takes the run; a write with an older one changes nothing.
  lease_fence INTEGER NOT NULL DEFAULT 0,
  -- Until when that process may execute the run; 0 when none does.
  lease_until INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX agent_run_config ON agent_run (agent_config_id, seq DESC);
CREATE INDEX agent_run_state ON agent_run (state, seq);
CREATE INDEX agent_run_finished ON agent_run (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE agent_run_event (
  run_id TEXT NOT NULL REFERENCES agent_run (id),
  -- From 1, without gaps.
  sequence INTEGER NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  level TEXT NOT NULL,
  message TEXT NOT NULL,
  -- JSON.
  data TEXT NOT NULL DEFAULT '{}',
  created_at INTEGER NOT NULL,
  PRIMARY KEY (run_id, sequence)
) STRICT, WITHOUT ROWID;
