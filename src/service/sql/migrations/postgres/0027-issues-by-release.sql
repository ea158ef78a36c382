-- Without it, the issues of a release are found by reading the places of all issues. SQLite looks up one row for each issue
-- instead (decision 092); to the server, which makes no copy of a page for each commit, the index costs next to nothing.
CREATE INDEX issue_presence_release ON issue_presence (release_id, issue_id);
