import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError, type Config } from '../../config.ts'
import { failures, ServiceError } from '../../errors.ts'
import { createResolver } from '../../mcp/resolve/index.ts'
import { TeachingError } from '../../mcp/result/teach.ts'
import { apiFor, openBackend } from './backend.ts'
import type { Finding } from './finding.ts'

const timeoutMs = 10_000

/** Whether the pinned product exists. Reads existing data and creates none. */
export async function checkProduct(config: Config, pinned: string): Promise<Finding> {
  const what = 'product'
  if (config.baseUrl === undefined && !existsSync(join(config.dataDir, 'tracegate.db'))) {
    return { what, ok: true, found: `${pinned}, not checked: there is no data yet` }
  }
  try {
    const product = await find(config, pinned)
    return { what, ok: true, found: `${product?.name ?? 'unnamed'} (${product?.id ?? '?'})` }
  } catch (error) {
    // A ConfigError says itself how to fix it.
    if (error instanceof ConfigError) return { what, ok: false, found: error.message }
    if (!(error instanceof ServiceError)) throw error
    return { what, ok: false, found: error.message, fix: suggestedFix(error) }
  }
}

async function find(config: Config, pinned: string) {
  const backend = await openBackend(config, { log: () => undefined, onProgress: () => undefined })
  try {
    const api = apiFor(backend, backend.token ?? '')
    const [product] = await createResolver({ api, pinned, signal: AbortSignal.timeout(timeoutMs) }).products()
    return product
  } finally {
    await backend.close()
  }
}

function suggestedFix(error: ServiceError): string {
  return (error instanceof TeachingError ? error.lesson.hint : undefined) ?? failures[error.code].hint
}
