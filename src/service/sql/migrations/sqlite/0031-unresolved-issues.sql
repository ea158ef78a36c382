-- How many issues of a product are unresolved, without reading all of them: most tools ask for it when they look for a product by
-- its name. Only the query that says IS TRUE may use it. For an index WHERE status = 'unresolved' SQLite prepares every
-- query with `status = ?` again, each time it runs.
CREATE INDEX issue_unresolved ON issue (product_id, status) WHERE (status = 'unresolved') IS TRUE;
