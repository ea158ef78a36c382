import { computeVerdictIn } from '../../gate/verdict/compute.ts'
import { countCoverage } from '../../quality/coverage/read.ts'
import { refreshStale } from '../../quality/coverage/refresh.ts'
import type { Call } from '../../shared/context.ts'
import { insideTransaction } from '../../sql/rolled-back.ts'
import type { Applying } from '../apply/types.ts'

/** Coverage and the status of the gate of the main tree, as written so far in a transaction that is rolled back. */
export async function measure({ rows, prepare, product }: Applying, call: Call) {
  const db = insideTransaction(rows, prepare)
  await refreshStale(db, product.id, call.now())
  const coverage = await countCoverage(rows, product, call.now())
  const { status } = await computeVerdictIn(rows, { ...call, db }, product, {})
  return { coverage, status }
}
