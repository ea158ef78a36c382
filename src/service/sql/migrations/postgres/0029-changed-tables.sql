-- How many transactions have changed each of these tables, of any process, also an older one: what was read from them stays
-- right until the next one (decision 093). On SQLite the connection that writes knows it.
CREATE TABLE changed_table (
  name text COLLATE "C" PRIMARY KEY,
  changes bigint NOT NULL
);

CREATE FUNCTION count_table_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  setting text := 'tracegate.changed_' || TG_TABLE_NAME;
BEGIN
  -- Once in a transaction: a report writes many rows.
  IF coalesce(current_setting(setting, true), '') = '' THEN
    INSERT INTO changed_table (name, changes) VALUES (TG_TABLE_NAME, 1)
    ON CONFLICT (name) DO UPDATE SET changes = changed_table.changes + 1;
    PERFORM set_config(setting, 'yes', true);
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER requirement_changed AFTER INSERT OR UPDATE OR DELETE ON requirement
FOR EACH STATEMENT EXECUTE FUNCTION count_table_change();
CREATE TRIGGER test_link_changed AFTER INSERT OR UPDATE OR DELETE ON test_link
FOR EACH STATEMENT EXECUTE FUNCTION count_table_change();
CREATE TRIGGER test_changed AFTER INSERT OR UPDATE OR DELETE ON test
FOR EACH STATEMENT EXECUTE FUNCTION count_table_change();
CREATE TRIGGER test_result_changed AFTER INSERT OR UPDATE OR DELETE ON test_result
FOR EACH STATEMENT EXECUTE FUNCTION count_table_change();
CREATE TRIGGER test_run_changed AFTER INSERT OR UPDATE OR DELETE ON test_run
FOR EACH STATEMENT EXECUTE FUNCTION count_table_change();
CREATE TRIGGER exclusion_changed AFTER INSERT OR UPDATE OR DELETE ON exclusion
FOR EACH STATEMENT EXECUTE FUNCTION count_table_change();
