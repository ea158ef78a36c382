import type { Api } from '../../client/api.ts'
import { ServiceError } from '../../errors.ts'
import { inBatches } from '../../lib/batches.ts'
import type { Stats } from '../picture/from-issues.ts'

const AT_ONCE = 8
/** The board is of use without its trends, so they do not keep it waiting. */
const patienceMs = 2000

type Request = Parameters<Api['getIssueStats']>[0]

/** Statistics by issue, in the order of the ids; undefined where the deployment does not give them, or not in time. */
export function readTrends(
  ids: readonly string[],
  request: Omit<Request, 'id'>,
  { api, signal }: { api: Api; signal: AbortSignal },
): Promise<(Stats | undefined)[]> {
  const late = AbortSignal.timeout(patienceMs)
  const either = AbortSignal.any([signal, late])
  const isLate = () => late.aborted
  return inBatches(ids, AT_ONCE, async (id) => {
    if (isLate()) return undefined
    try {
      return (await api.getIssueStats({ ...request, id }, { signal: either })).stats
    } catch (error) {
      if (error instanceof ServiceError || isLate()) return undefined
      throw error
    }
  })
}
