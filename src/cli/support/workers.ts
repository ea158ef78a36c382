import type * as WorkerBundle from '../../dev/worker-bundle.ts'

/** The module of the thread that reads source maps (`ServiceOptions.sourceMapWorker`). */
export function sourceMapWorker(): Promise<URL> {
  return worker('source-map-worker', '../../service/errors/sourcemaps/process/worker-entry.ts')
}

/** The module of the thread that reads large test reports (`ServiceOptions.reportWorker`). */
export function reportWorker(): Promise<URL> {
  return worker('report-worker', '../../service/quality/test-ingest/thread-entry.ts')
}

/** The module of the thread that reads events while many arrive (`ServiceOptions.eventWorker`). */
export function eventWorker(): Promise<URL> {
  return worker('event-worker', '../../service/errors/ingest/thread-entry.ts')
}

/** A file next to this one in the published package, made of the sources in a checkout. */
async function worker(name: string, source: string): Promise<URL> {
  if (!import.meta.url.endsWith('.ts')) return new URL(`./${name}.mjs`, import.meta.url)
  // A computed address: the published package does not contain the checkout's tools.
  const tools = new URL('../../dev/worker-bundle.ts', import.meta.url).href
  const { bundledWorker } = (await import(tools)) as typeof WorkerBundle
  return bundledWorker(new URL(source, import.meta.url))
}
