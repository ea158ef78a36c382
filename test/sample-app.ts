import { join } from 'node:path'
import { inject } from 'vitest'
import { startApp, type App, type AppOptions } from './app.ts'

let template: Promise<string> | undefined

/** The embedded service on a copy of the loaded sample shop. Loading takes seconds, so each test process does it once. */
export async function startSampleApp(options: AppOptions = {}): Promise<App> {
  template ??= loadTemplate()
  return await startApp({ ...options, template: await template })
}

async function loadTemplate(): Promise<string> {
  const dataDir = join(inject('sharedFolder'), `sample-${String(process.pid)}`)
  const app = await startApp({ dataDir, sample: true })
  await app.close()
  return dataDir
}
