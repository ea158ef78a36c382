-- The events of one environment or component in the last days, without reading those of all others. Counting an event changes no
-- entry: one is added for each new hour of a component, and for each new ten minutes of an environment.
CREATE INDEX activity_subject ON activity (subject_id, bucket);
