import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startApp, type App, type AppOptions, type Template } from './app.ts'
import { onceInRun } from './once-a-run.ts'
import { createDatabase, usesPostgres } from './postgres/databases.ts'

/** The embedded service on a copy of the loaded sample shop. Loading takes seconds, so each run does it once. */
export async function startSampleApp(options: AppOptions = {}): Promise<App> {
  return await startApp({ ...options, template: await loadedSample() })
}

async function loadedSample(): Promise<Template> {
  // The projects of a run may share the folder.
  const folder = await onceInRun(usesPostgres() ? 'sample-postgres' : 'sample', load)
  const database = join(folder, DATABASE)
  return {
    dataDir: join(folder, 'data'),
    database: existsSync(database) ? readFileSync(database, 'utf8') : undefined,
  }
}

/** A file with the name of the database on the server, if the tests use one. */
const DATABASE = 'database'

async function load(folder: string): Promise<void> {
  const dataDir = join(folder, 'data')
  mkdirSync(dataDir, { recursive: true })
  const database = usesPostgres() ? await createDatabase() : undefined
  const app = await startApp({ dataDir, databaseUrl: database?.url, sample: true })
  await app.close()
  if (database !== undefined) writeFileSync(join(folder, DATABASE), database.name)
}
