-- When a frame was last mapped with the upload, to the hour; null before the first time.
ALTER TABLE sourcemap ADD COLUMN used_at INTEGER;
CREATE INDEX sourcemap_state ON sourcemap (product_id, state);
-- Finds the tables that no artifact refers to, and the paths of an upload that is removed.
CREATE INDEX sourcemap_artifact_content ON sourcemap_artifact (content);
CREATE INDEX sourcemap_source_upload ON sourcemap_source (sourcemap_id);
