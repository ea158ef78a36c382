import { isRunInScope } from '../../quality/coverage/scope.ts'
import type { Rows } from '../../sql/database.ts'
import { isKnownEnvironment } from '../../workspace/releases/rules.ts'
import type { FactsQuery } from './query.ts'

/**
 * The other environments with results of the judged version, which would count if the scope named no environment: known
 * names, and '' if there are others. Who names the environment of the errors misses the tests.
 */
export async function resultsElsewhere(rows: Rows, { scope, counting }: FactsQuery): Promise<string[]> {
  const { environmentId: here, releaseIds } = counting
  if (here === undefined || releaseIds === undefined) return []
  const found = await rows
    .selectFrom('test_run as run')
    .innerJoin('environment', 'environment.id', 'run.environment_id')
    .select(['environment.name', 'environment.origin'])
    .distinct()
    .where('run.product_id', '=', scope.productId)
    .where('run.environment_id', '<>', here)
    .where('environment.deleted_at', 'is', null)
    .where(isRunInScope({ ...counting, environmentId: undefined }))
    .execute()
  const names = found.map((environment) => (isKnownEnvironment(environment) ? environment.name : ''))
  return [...new Set(names)]
}
