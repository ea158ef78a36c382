-- What several processes on one database have in common (decision 099).

-- Confirmations that were used, until long after they have ended.
CREATE TABLE used_key (
  key TEXT PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Sessions of MCP clients of 2025 over HTTP.
CREATE TABLE mcp_session (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  -- Hashes of the token and of what opened it.
  owner TEXT NOT NULL,
  token_hash TEXT NOT NULL,
  -- The client's first request, as JSON.
  initialize TEXT NOT NULL,
  -- Noted at most once a minute.
  used_at INTEGER NOT NULL
) STRICT;
CREATE INDEX mcp_session_token ON mcp_session (token_hash, used_at);
CREATE INDEX mcp_session_used ON mcp_session (used_at);

-- Addresses that they subscribe to, with the digest of the state that the client knows.
CREATE TABLE mcp_subscription (
  session_id TEXT NOT NULL,
  uri TEXT NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (session_id, uri)
) STRICT, WITHOUT ROWID;

-- What a client sent to one process and another one waits for. The recipient deletes it.
CREATE TABLE mcp_message (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL,
  -- A process, '' for all.
  recipient TEXT NOT NULL,
  body TEXT NOT NULL,
  sent_at INTEGER NOT NULL
) STRICT;
CREATE INDEX mcp_message_session ON mcp_message (session_id, recipient);
