-- What kind of token sent a run: person, agent or ci.
ALTER TABLE test_run ADD COLUMN sender TEXT NOT NULL DEFAULT 'person';
-- Shards: how many the newest report of the run speaks of (0: none), the indexes that have arrived whole (JSON), and how
-- many are missing.
ALTER TABLE test_run ADD COLUMN shard_total INTEGER NOT NULL DEFAULT 0;
ALTER TABLE test_run ADD COLUMN shards TEXT NOT NULL DEFAULT '[]';
ALTER TABLE test_run ADD COLUMN shards_missing INTEGER NOT NULL DEFAULT 0;
CREATE INDEX test_run_incomplete ON test_run (product_id, created_at) WHERE incomplete <> '' OR shards_missing > 0;
CREATE INDEX test_run_commit ON test_run (product_id, lower(commit_sha));
CREATE INDEX test_result_flaky ON test_result (product_id, executed_at, test_id) WHERE status = 'RESULT_STATUS_FLAKY';

UPDATE product SET gate_policy = json_set(gate_policy, '$.require_ci_results', json('false'), '$.conditions[#]', json(
  '{"id":"unreviewed_exclusions","metric":"unreviewed_exclusions","comparator":"COMPARATOR_LTE","threshold":0,"severity":"CONDITION_SEVERITY_BLOCKING","min_sample":0,"enabled":true}'))
  WHERE NOT EXISTS (
    SELECT 1 FROM json_each(product.gate_policy, '$.conditions')
    WHERE json_extract(value, '$.metric') = 'unreviewed_exclusions' OR json_extract(value, '$.id') = 'unreviewed_exclusions');

CREATE TABLE verdict (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  product_id INTEGER NOT NULL REFERENCES product (id),
  -- What was judged; '' where the scope does not name one.
  release_id TEXT NOT NULL,
  environment_id TEXT NOT NULL,
  commit_sha TEXT NOT NULL,
  git_branch TEXT NOT NULL,
  status TEXT NOT NULL,
  inputs_digest TEXT NOT NULL,
  -- JSON of the contract's Verdict, without the members that are read anew.
  body TEXT NOT NULL,
  -- JSON: condition, then since when (epoch milliseconds), then the items that it lists, all of them.
  evidence TEXT NOT NULL,
  computed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX verdict_scope ON verdict (product_id, release_id, environment_id, commit_sha, git_branch, seq);
