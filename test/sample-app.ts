import { join } from 'node:path'
import { inject } from 'vitest'
import { startApp, type App, type AppOptions, type Template } from './app.ts'
import { createDatabase, usesPostgres } from './postgres/databases.ts'

let template: Promise<Template> | undefined

/** The embedded service on a copy of the loaded sample shop. Loading takes seconds, so each test process does it once. */
export async function startSampleApp(options: AppOptions = {}): Promise<App> {
  template ??= loadTemplate()
  return await startApp({ ...options, template: await template })
}

async function loadTemplate(): Promise<Template> {
  const dataDir = join(inject('sharedFolder'), `sample-${String(process.pid)}`)
  const database = usesPostgres() ? await createDatabase() : undefined
  const app = await startApp({ dataDir, databaseUrl: database?.url, sample: true })
  await app.close()
  return { dataDir, database: database?.name }
}
