import type { Api } from '../../client/api.ts'
import { timeLimit } from '../../client/budget.ts'
import { ConfigError, type Config } from '../../config.ts'
import { failures, isEndpointMissing, ServiceError } from '../../errors.ts'
import { createResolver } from '../../mcp/resolve/index.ts'
import type { Product } from '../../mcp/resolve/types.ts'
import { TeachingError } from '../../mcp/result/teach.ts'
import { newestVersion } from '../../service/sql/migrations.ts'
import { apiFor, openBackend } from './backend.ts'
import { remedy } from './failure-line.ts'
import type { Finding } from './finding.ts'

const timeoutMs = 10_000
const what = 'product'

/**
 * Whether the pinned product of the embedded service exists. The database has the schema `version`; one that is empty or
 * older is not opened, which would make its first start or upgrade it beneath a server that runs.
 */
export async function checkProduct(config: Config, pinned: string, version: number): Promise<Finding> {
  const newest = newestVersion(config.databaseUrl === undefined ? 'sqlite' : 'postgres')
  if (version < newest) {
    const why = version === 0 ? 'there is no data yet' : 'the next start upgrades the database'
    return { what, ok: true, found: `${pinned}, not checked: ${why}` }
  }
  try {
    const backend = await openBackend(config, { log: () => undefined, onProgress: () => undefined })
    try {
      const api = apiFor(backend, backend.token ?? '')
      return (await findProduct(api, pinned, timeLimit(timeoutMs))).finding
    } finally {
      await backend.close()
    }
  } catch (error) {
    return failedFinding(error)
  }
}

/** The pinned product, else the one with the most open issues; undefined where there is none. */
export async function findProduct(
  api: Api,
  pinned: string | undefined,
  signal: AbortSignal,
): Promise<{ finding: Finding; product?: Product | undefined }> {
  try {
    const products = await createResolver({ api, pinned, signal }).products()
    const [product] = products.toSorted((one, other) => unresolved(other) - unresolved(one))
    const found = product === undefined ? 'the token sees none' : `${product.name ?? 'unnamed'} (${product.id})`
    return { product, finding: { what, ok: true, found } }
  } catch (error) {
    const late = { what, ok: false, found: 'not found in time', fix: failures.unavailable.hint }
    return { finding: signal.aborted ? late : failedFinding(error) }
  }
}

function unresolved({ counts }: Product): number {
  return counts?.unresolved_issues ?? 0
}

function failedFinding(error: unknown): Finding {
  // A ConfigError says itself how to fix it.
  if (error instanceof ConfigError) return { what, ok: false, found: error.message }
  if (!(error instanceof ServiceError)) throw error
  return { what, ok: false, found: error.message, fix: suggestedFix(error) }
}

function suggestedFix(error: ServiceError): string {
  if (isEndpointMissing(error)) return 'check TRACEGATE_BASE_URL, or set TRACEGATE_PRODUCT to the id of the product'
  return (error instanceof TeachingError ? error.lesson.hint : undefined) ?? remedy(error) ?? failures[error.code].hint
}
