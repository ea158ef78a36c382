-- What the events of a place in the code have in common: their bodies are packed with it.
CREATE TABLE body_dictionary (
  -- Chosen at random before the row is written.
  id INTEGER PRIMARY KEY,
  product_id INTEGER NOT NULL,
  -- Received by then: the event that it was made from.
  made_at INTEGER NOT NULL,
  -- zstd of the text.
  packed BLOB NOT NULL
) STRICT;
-- For retention, which looks through all of them without reading the texts.
CREATE INDEX body_dictionary_age ON body_dictionary (made_at);

-- NULL for a body that is packed by itself.
ALTER TABLE occurrence ADD COLUMN dictionary_id INTEGER;
-- For retention: dictionaries that no body needs are removed.
CREATE INDEX occurrence_dictionary ON occurrence (dictionary_id) WHERE dictionary_id IS NOT NULL;

-- The dictionary of the events whose hash it is.
ALTER TABLE issue_hash ADD COLUMN dictionary_id INTEGER;
