-- An upload of a source map, a minified file or a bundle of both, from its creation on (contract §11).
CREATE TABLE sourcemap (
  id TEXT PRIMARY KEY,
  product_id INTEGER NOT NULL REFERENCES product (id),
  state TEXT NOT NULL,
  artifact TEXT NOT NULL,
  release TEXT NOT NULL DEFAULT '',
  dist TEXT NOT NULL DEFAULT '',
  environment TEXT NOT NULL DEFAULT '',
  file_name TEXT NOT NULL,
  url_prefix TEXT NOT NULL,
  debug_id TEXT NOT NULL DEFAULT '',
  -- Of the bytes: as announced at first, as received after the upload.
  size_bytes INTEGER NOT NULL DEFAULT 0,
  sha256 TEXT NOT NULL DEFAULT '',
  content_type TEXT NOT NULL,
  files TEXT NOT NULL DEFAULT '[]',
  error TEXT,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  confirmed_at INTEGER,
  expires_at INTEGER
) STRICT;
CREATE INDEX sourcemap_content ON sourcemap (product_id, sha256) WHERE state = 'SOURCEMAP_STATE_READY';
CREATE INDEX sourcemap_expiry ON sourcemap (expires_at) WHERE expires_at IS NOT NULL;

-- What a frame finds: the table of a map (kind 'map') or the functions of a minified file (kind 'minified').
CREATE TABLE sourcemap_artifact (
  -- Grows: of two that fit a frame alike the newer one is taken.
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  product_id INTEGER NOT NULL,
  sourcemap_id TEXT NOT NULL REFERENCES sourcemap (id),
  kind TEXT NOT NULL,
  -- Name of the file in the data directory's folder of tables: SHA-256 of the bytes it was made of; '' when nothing
  -- could be made of a minified file beyond the name of its map.
  content TEXT NOT NULL,
  debug_id TEXT NOT NULL DEFAULT '',
  release TEXT NOT NULL DEFAULT '',
  dist TEXT NOT NULL DEFAULT '',
  -- With the prefix: `~/assets/app.js.map`.
  path TEXT NOT NULL,
  base_name TEXT NOT NULL,
  -- Of a minified file: where its map is, as a path of the same kind. Of a map: the path of its minified file as its own
  -- `file` member gives it. '' when neither says.
  counterpart TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX sourcemap_artifact_debug_id ON sourcemap_artifact (product_id, debug_id) WHERE debug_id <> '';
CREATE INDEX sourcemap_artifact_release ON sourcemap_artifact (product_id, release, base_name);
CREATE INDEX sourcemap_artifact_upload ON sourcemap_artifact (sourcemap_id);

-- Paths of the repository that members gave by uploading a map with such a source.
CREATE TABLE sourcemap_source (
  product_id INTEGER NOT NULL,
  path TEXT NOT NULL,
  sourcemap_id TEXT NOT NULL REFERENCES sourcemap (id),
  PRIMARY KEY (product_id, path, sourcemap_id)
) STRICT, WITHOUT ROWID;

-- In-app frames of an issue nearest to the crash: which files it implicates, which issues share a place in the code.
CREATE TABLE issue_frame (
  product_id INTEGER NOT NULL,
  path TEXT NOT NULL,
  function TEXT NOT NULL,
  issue_id TEXT NOT NULL REFERENCES issue (id),
  -- Frames between it and the crash.
  distance INTEGER NOT NULL,
  PRIMARY KEY (product_id, path, function, issue_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX issue_frame_issue ON issue_frame (issue_id);
