-- For the number of unresolved issues of a product, which most tools read when they look up a product by name: without it SQLite
-- reads the index entries of all issues. The condition says IS TRUE so that only that query is compared with it. With
-- WHERE status = 'unresolved', SQLite would prepare every query that contains `status = ?` again each time it runs.
CREATE INDEX issue_unresolved ON issue (product_id, status) WHERE (status = 'unresolved') IS TRUE;
