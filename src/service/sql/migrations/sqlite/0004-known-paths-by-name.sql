-- The last segment of a path that members gave: frames are compared with known paths by their ends. SQLite has no
-- function for it: what remains after all characters but '/' are taken off the end is the folder.
ALTER TABLE sourcemap_source ADD COLUMN base_name TEXT COLLATE NOCASE
  GENERATED ALWAYS AS (substr(path, length(rtrim(path, replace(path, '/', ''))) + 1)) VIRTUAL;
CREATE INDEX sourcemap_source_name ON sourcemap_source (product_id, base_name);
ALTER TABLE requirement_path ADD COLUMN base_name TEXT COLLATE NOCASE
  GENERATED ALWAYS AS (substr(prefix, length(rtrim(prefix, replace(prefix, '/', ''))) + 1)) VIRTUAL;
CREATE INDEX requirement_path_name ON requirement_path (product_id, base_name);
ALTER TABLE repository_path ADD COLUMN base_name TEXT COLLATE NOCASE
  GENERATED ALWAYS AS (substr(path, length(rtrim(path, replace(path, '/', ''))) + 1)) VIRTUAL;
CREATE INDEX repository_path_name ON repository_path (product_id, base_name);
