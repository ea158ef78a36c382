import { ServiceError } from '../../errors.ts'
import { computeVerdictIn } from '../gate/verdict/compute.ts'
import { acceptRisk } from '../gate/risks/accept.ts'
import { decideRisk } from '../gate/risks/decide.ts'
import { viewRisk, type StoredRisk } from '../gate/risks/stored.ts'
import { readJudged, requireNewest } from '../gate/verdict/judged.ts'
import { readGateScope } from '../gate/scope.ts'
import { findVerdict } from '../gate/verdict/store.ts'
import type { Call, Handlers } from '../shared/context.ts'
import type { Rows } from '../sql/database.ts'
import { requireProduct } from '../workspace/access.ts'
import type { StoredProduct } from '../workspace/products.ts'

export const riskHandlers = {
  async acceptRisk(input, call) {
    const product = await requireProduct(call.db.read, call.principal, input.product_id)
    const { release_id, environment_id } = input.scope ?? {}
    return call.db.write(async (rows) => {
      const scope = await readGateScope(rows, call, product, { release_id, environment_id })
      const verdict = readJudged(await requireNewest(rows, scope))
      const facts = { productId: product.id, verdict, version: scope.version }
      const risk = await acceptRisk(rows, call, input, facts)
      const computed = await computeVerdictIn(rows, call, product, { release_id, environment_id })
      return { risk: viewRisk(risk, call.now()), verdict: computed }
    })
  },

  async approveRisk(input, call) {
    const product = await requireProduct(call.db.read, call.principal, input.product_id)
    return call.db.write(async (rows) => {
      const risk = await decideRisk(rows, call, product, input)
      return { risk: viewRisk(risk, call.now()), verdict: await verdictAfter(rows, call, product, risk) }
    })
  },
} satisfies Handlers<'acceptRisk' | 'approveRisk'>

/** The verdict of the scope that the risk was accepted in; of the whole product when its release or environment is gone. */
async function verdictAfter(rows: Rows, call: Call, product: StoredProduct, risk: StoredRisk) {
  const judged = (await findVerdict(rows, product.id, risk.verdict_id)) ?? risk
  const request = {
    release_id: judged.release_id || undefined,
    environment_id: judged.environment_id || undefined,
  }
  try {
    return await computeVerdictIn(rows, call, product, request)
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error
    return computeVerdictIn(rows, call, product, {})
  }
}
