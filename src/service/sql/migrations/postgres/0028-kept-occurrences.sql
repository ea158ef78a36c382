-- How many occurrences of an issue are kept in each place: `count` less those that retention has removed. So the total of a
-- page is a sum of a few numbers (decision 126). A trigger, because an older program removes them as well.
ALTER TABLE issue_presence ADD COLUMN removed bigint NOT NULL DEFAULT 0;

-- Of what was removed before.
UPDATE issue_presence SET removed = count;
UPDATE issue_presence SET removed = count - kept.occurrences
FROM (
  SELECT issue_id, environment_id, release_id, count(*) AS occurrences
  FROM occurrence JOIN place ON place.id = place_id GROUP BY issue_id, environment_id, release_id
) AS kept
WHERE issue_presence.issue_id = kept.issue_id AND issue_presence.environment_id = kept.environment_id
  AND issue_presence.release_id = kept.release_id;

CREATE FUNCTION count_removed_occurrences() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE issue_presence SET removed = removed + gone.occurrences
  FROM (
    SELECT issue_id, environment_id, release_id, count(*) AS occurrences
    FROM removed_rows JOIN place ON place.id = place_id GROUP BY issue_id, environment_id, release_id
  ) AS gone
  WHERE issue_presence.issue_id = gone.issue_id AND issue_presence.environment_id = gone.environment_id
    AND issue_presence.release_id = gone.release_id;
  RETURN NULL;
END
$$;

-- For a statement and not for each row: retention removes many at once.
CREATE TRIGGER occurrence_removed AFTER DELETE ON occurrence REFERENCING OLD TABLE AS removed_rows
FOR EACH STATEMENT EXECUTE FUNCTION count_removed_occurrences();
