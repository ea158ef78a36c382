import type { Config } from '../../config.ts'
import { ServiceError } from '../../errors.ts'
import type { Finding } from '../support/finding.ts'

const what = 'database'

/**
 * Whether the PostgreSQL database can be used, and whether its notifications arrive; with the version of its schema. Changes
 * nothing in it.
 */
export async function checkDatabase({
  databaseUrl,
  databaseListenUrl,
}: Pick<Config, 'databaseListenUrl'> & { databaseUrl: string }): Promise<{ finding: Finding; version: number }> {
  const { examinePostgres } = await import('../../service/sql/postgres/postgres-examine.ts')
  try {
    const { found, version, notifies } = await examinePostgres(databaseUrl, databaseListenUrl)
    if (notifies) return { finding: { what, ok: true, found }, version }
    const fix = 'set TRACEGATE_DATABASE_LISTEN_URL to the address of the server itself'
    const silent = `${found}, behind a transaction pooler: no notifications arrive`
    return { finding: { what, ok: false, found: silent, fix }, version }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { finding: { what, ok: false, found: error.message }, version: 0 }
  }
}
