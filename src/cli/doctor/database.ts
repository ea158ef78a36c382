import type { Config } from '../../config.ts'
import { ServiceError } from '../../errors.ts'
import type { Finding } from '../support/finding.ts'

const what = 'database'

/** Whether the PostgreSQL database can be used, and whether its notifications arrive. Changes nothing in it. */
export async function checkDatabase({
  databaseUrl,
  databaseListenUrl,
}: Pick<Config, 'databaseListenUrl'> & { databaseUrl: string }): Promise<Finding> {
  const { examinePostgres } = await import('../../service/sql/postgres/postgres-examine.ts')
  try {
    const { found, notifies } = await examinePostgres(databaseUrl, databaseListenUrl)
    if (notifies) return { what, ok: true, found }
    const fix = 'set TRACEGATE_DATABASE_LISTEN_URL to the address of the server itself'
    return { what, ok: false, found: `${found}, behind a transaction pooler: no notifications arrive`, fix }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { what, ok: false, found: error.message }
  }
}
