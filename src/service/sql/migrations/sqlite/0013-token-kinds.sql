-- Who holds a token: a person, an agent or a CI system.
ALTER TABLE token ADD COLUMN kind TEXT NOT NULL DEFAULT 'person';
UPDATE token SET kind = 'agent' WHERE is_agent = 1;
ALTER TABLE token DROP COLUMN is_agent;

-- 'mcp' when a tool of an MCP server made the change.
ALTER TABLE audit ADD COLUMN via TEXT NOT NULL DEFAULT '';
