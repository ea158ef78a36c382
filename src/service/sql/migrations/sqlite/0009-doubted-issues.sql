-- Doubts that hold for every event of an issue (contract §10.1): its text reads like instructions to an agent; the code
-- that it claims is not in the sources of its release. Of the events stored before, nobody knows.
ALTER TABLE issue ADD COLUMN suspicious INTEGER;
ALTER TABLE issue ADD COLUMN contradicted INTEGER;
