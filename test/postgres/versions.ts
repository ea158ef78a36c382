import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from '../../src/dev/build.ts'
import { readMigrations } from '../../src/service/sql/migrations.ts'

/** Versions of the program, by their command. */
export interface Versions {
  /** This one. */
  current: string
  /** The next one, whose migration adds to every table. */
  next: string
  /** The one after that, whose migration removes a column. */
  breaking: string
}

/** A column more for each table, one table more, one index more. */
const ADDING = `DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() LOOP
    EXECUTE format('ALTER TABLE %I ADD COLUMN added_later text', name);
  END LOOP;
END $$;
CREATE TABLE later (id bigint PRIMARY KEY);
CREATE INDEX later_place ON place (added_later);`

/** Builds the published package into a folder, and two newer versions of it. */
export async function buildVersions(folder: string): Promise<Versions> {
  const current = join(folder, 'current')
  await build(current)
  const number = (readMigrations('postgres').at(-1)?.version ?? 0) + 1
  const next = newer(current, join(folder, 'next'), { [migrationName(number, 'more')]: ADDING })
  const breaking = newer(next, join(folder, 'breaking'), {
    [migrationName(number + 1, 'less.breaking')]: 'ALTER TABLE place DROP COLUMN added_later',
  })
  const [one, two, three] = [current, next, breaking].map((dist) => join(dist, 'tracegate.js'))
  return { current: one!, next: two!, breaking: three! }
}

function newer(dist: string, copy: string, migrations: Readonly<Record<string, string>>): string {
  cpSync(dist, copy, { recursive: true })
  for (const [name, text] of Object.entries(migrations)) writeFileSync(join(copy, 'migrations', 'postgres', name), text)
  return copy
}

function migrationName(number: number, name: string): string {
  return `${String(number).padStart(4, '0')}-${name}.sql`
}
