import type * as z from 'zod'
import type { InputOf } from '../../../contract/index.ts'
import type { Verdict } from '../../../contract/quality-gate/verdict.ts'
import { notFound, ServiceError } from '../../../errors.ts'
import type { Call } from '../../shared/context.ts'
import type { Rows } from '../../sql/database.ts'
import { releaseNames } from '../../workspace/releases/names.ts'
import type { StoredProduct } from '../../workspace/products.ts'
import { choosePolicy, readInputs } from './compute.ts'
import { readGateScope } from '../scope.ts'
import { findVerdict, newestVerdicts, readBody, type StoredVerdict } from './store.ts'
import { viewStored, type JudgedScope } from './view.ts'

/**
 * The newest stored verdict of a scope, or the one with `verdict_id`, and whether its inputs have changed since. Throws
 * `not_found` with the reason `VERDICT_NOT_COMPUTED` when the scope has none.
 */
export async function readVerdict(
  rows: Rows,
  call: Pick<Call, 'principal' | 'now'>,
  product: StoredProduct,
  { verdict_id: id, ...request }: Omit<InputOf<'getGate'>, 'product_id'>,
): Promise<z.input<typeof Verdict>> {
  const now = call.now()
  if (id !== undefined) {
    const row = await findVerdict(rows, product.id, id)
    if (row === undefined) throw notFound('verdict', id, 'the newest verdict of the scope lists earlier ones')
    const stale = await hasChanged(rows, call, product, row)
    return viewStored(rows, row, readBody(row), { scope: await judgedScope(rows, row), now, stale })
  }
  const scope = await readGateScope(rows, call, product, request)
  const [row] = await newestVerdicts(rows, scope, 1)
  if (row === undefined) throw notComputed(product.id)
  const { digest } = await readInputs(rows, { scope, policy: choosePolicy(product), now })
  return viewStored(rows, row, readBody(row), { scope, now, stale: digest !== row.inputs_digest })
}

/** Whether a verdict would be made from other inputs now; so it would when its release or environment is gone. */
async function hasChanged(
  rows: Rows,
  call: Pick<Call, 'principal' | 'now'>,
  product: StoredProduct,
  row: StoredVerdict,
): Promise<boolean> {
  const request = {
    release_id: row.release_id || undefined,
    environment_id: row.environment_id || undefined,
    commit_sha: row.commit_sha || undefined,
    git_branch: row.git_branch || undefined,
  }
  try {
    const scope = await readGateScope(rows, call, product, request)
    const { digest } = await readInputs(rows, { scope, policy: choosePolicy(product), now: call.now() })
    return digest !== row.inputs_digest
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return true
    throw error
  }
}

async function judgedScope(rows: Rows, row: StoredVerdict): Promise<JudgedScope> {
  return {
    version: (await releaseNames(rows, [row.release_id])).get(row.release_id)?.version ?? '',
    productId: row.product_id,
    releaseId: row.release_id,
    environmentId: row.environment_id,
    commitSha: row.commit_sha,
    gitBranch: row.git_branch,
  }
}

function notComputed(productId: number): ServiceError {
  const call = `POST /v1/products/${productId}/quality-gate:compute`
  return new ServiceError('not_found', `no verdict has been computed for this scope; ${call} computes one`, {
    reason: 'VERDICT_NOT_COMPUTED',
  })
}
