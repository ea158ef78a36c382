-- What several processes on one database have in common (decision 099). Nothing here lasts longer than an hour or two.

-- Confirmations that were used, until long after they have ended.
CREATE TABLE used_key (
  key TEXT PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
