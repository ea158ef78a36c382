import type * as WorkerBundle from '../../dev/worker-bundle.ts'

/**
 * The module of the thread that reads source maps (`ServiceOptions.sourceMapWorker`): a file beside this one in the
 * published package, made of the sources in a checkout.
 */
export async function sourceMapWorker(): Promise<URL> {
  if (!import.meta.url.endsWith('.ts')) return new URL('./source-map-worker.js', import.meta.url)
  // A computed address: the published package does not contain the checkout's tools.
  const tools = new URL('../../dev/worker-bundle.ts', import.meta.url).href
  const { bundledWorker } = (await import(tools)) as typeof WorkerBundle
  return bundledWorker(new URL('../../service/errors/sourcemaps/process/worker-entry.ts', import.meta.url))
}
