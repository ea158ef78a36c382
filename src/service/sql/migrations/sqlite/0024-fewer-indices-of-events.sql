-- The issues whose bodies need a dictionary: retention finds out there whether it is still used, so that events need no
-- index by dictionary (decision 092). Stays until the dictionary goes.
CREATE TABLE body_dictionary_issue (
  dictionary_id INTEGER NOT NULL,
  issue_id TEXT NOT NULL,
  PRIMARY KEY (dictionary_id, issue_id)
) STRICT, WITHOUT ROWID;
INSERT INTO body_dictionary_issue (dictionary_id, issue_id)
  SELECT DISTINCT dictionary_id, issue_id FROM occurrence WHERE dictionary_id IS NOT NULL;
DROP INDEX occurrence_dictionary;

-- What came after a commit is read from the end of the table, or from the other index of an issue's occurrences.
DROP INDEX occurrence_issue_seq;
