-- How many occurrences of an issue are kept in each place: `count` less those that retention has removed. So the total of a
-- page is a sum of a few numbers (decision 126). A trigger, because an older program removes them as well.
ALTER TABLE issue_presence ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;

-- Of what was removed before. At a million occurrences this takes a second.
UPDATE issue_presence SET removed = count;
UPDATE issue_presence SET removed = count - kept.occurrences
FROM (
  SELECT issue_id, environment_id, release_id, count(*) AS occurrences
  FROM occurrence JOIN place ON place.id = place_id GROUP BY issue_id, environment_id, release_id
) AS kept
WHERE issue_presence.issue_id = kept.issue_id AND issue_presence.environment_id = kept.environment_id
  AND issue_presence.release_id = kept.release_id;

CREATE TRIGGER occurrence_removed AFTER DELETE ON occurrence BEGIN
  UPDATE issue_presence SET removed = removed + 1
  WHERE issue_id = OLD.issue_id
    AND (environment_id, release_id) = (SELECT environment_id, release_id FROM place WHERE id = OLD.place_id);
END;
