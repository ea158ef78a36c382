-- The comments of SQLite's file of this number hold here too.

CREATE TABLE used_key (
  key text COLLATE "C" PRIMARY KEY,
  expires_at bigint NOT NULL
);
