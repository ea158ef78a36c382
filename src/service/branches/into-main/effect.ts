import type * as z from 'zod'
import type { CoverageCounts } from '../../../contract/base/common.ts'
import type { MergePreview } from '../../../contract/branches.ts'
import type { VerdictStatus } from '../../../contract/quality-gate/policy.ts'
import { computeVerdictIn } from '../../gate/verdict/compute.ts'
import { countCoverage } from '../../quality/coverage/read.ts'
import { refreshStale } from '../../quality/coverage/refresh.ts'
import type { Call } from '../../shared/context.ts'
import { insideTransaction } from '../../sql/rolled-back.ts'
import type { Applying } from '../apply/types.ts'

type Preview = z.input<typeof MergePreview>

interface Measured {
  coverage: z.input<typeof CoverageCounts>
  status: z.input<typeof VerdictStatus>
}

/** Coverage and the status of the gate of the main tree, as written so far in a transaction that is rolled back. */
export async function measure({ rows, prepare, product }: Applying, call: Call): Promise<Measured> {
  const db = insideTransaction(rows, prepare)
  await refreshStale(db, product.id, call.now())
  const coverage = await countCoverage(rows, product, call.now())
  const { status } = await computeVerdictIn(rows, call, product, {})
  return { coverage, status }
}

/** What a merge changes, from a measurement before it and one after it. */
export function viewEffect(before: Measured, after: Measured): Pick<Preview, 'coverage_effect' | 'gate_effect'> {
  return {
    coverage_effect: { before: before.coverage, after: after.coverage },
    gate_effect: { current_status: before.status, predicted_status: after.status },
  }
}
