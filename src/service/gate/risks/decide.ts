import type * as z from 'zod'
import type { InputOf } from '../../../contract/index.ts'
import { RiskState, type RiskDecision } from '../../../contract/quality-gate/risks.ts'
import { notFound, ServiceError } from '../../../errors.ts'
import type { Call, Writing } from '../../shared/context.ts'
import { checkEtag, computeEtag } from '../../shared/etag.ts'
import type { Rows } from '../../sql/database.ts'
import { readJson } from '../../sql/json.ts'
import { StoredActor } from '../../workspace/actor.ts'
import { audit } from '../../workspace/audit.ts'
import type { StoredProduct } from '../../workspace/products.ts'
import { StoredSettings } from '../../workspace/settings.ts'
import { requirePerson } from '../person.ts'
import { stateAt } from './counts.ts'
import { readWay, refuse } from './request.ts'
import type { StoredRisk } from './stored.ts'

type Input = InputOf<'approveRisk'>
type Decision = z.output<typeof RiskDecision>
type State = z.output<typeof RiskState>

/** The state that a decision needs, the one it leads to, and its verb in the audit trail. */
const transitions = {
  RISK_DECISION_APPROVE: { from: 'RISK_STATE_PENDING_APPROVAL', to: 'RISK_STATE_APPROVED', verb: 'approve' },
  RISK_DECISION_REJECT: { from: 'RISK_STATE_PENDING_APPROVAL', to: 'RISK_STATE_REJECTED', verb: 'reject' },
  RISK_DECISION_REVOKE: { from: 'RISK_STATE_APPROVED', to: 'RISK_STATE_REVOKED', verb: 'revoke' },
} as const satisfies Record<Decision, { from: State; to: State; verb: string }>

/**
 * Approves, rejects or revokes a risk, and resolves to it as it then is (contract §7). Throws `PERSON_REQUIRED` for
 * agents and CI, `FOUR_EYES_REQUIRED` when the person who accepted it approves, `RISK_STATE_INVALID` for another state,
 * `ETAG_MISMATCH`.
 */
export async function decideRisk(
  rows: Rows,
  call: Writing & Pick<Call, 'principal'>,
  product: StoredProduct,
  input: Input,
): Promise<StoredRisk> {
  requirePerson(call)
  const way = readDecisionWay(input, call)
  const { decision = 'RISK_DECISION_APPROVE' } = input
  const before = await requireRisk(rows, product.id, input.risk_id)
  checkEtag(input.etag, computeEtag(before.id, before.version))
  checkState(before, decision, call.now())
  const isApproval = decision === 'RISK_DECISION_APPROVE'
  if (isApproval) await requireSecondPerson(rows, call, product, before)
  const actor = JSON.stringify(call.actor)
  const { to, verb } = transitions[decision]
  const after = await rows
    .updateTable('risk')
    .set({
      state: to,
      ...(isApproval && { approved_by: actor }),
      decided_by: actor,
      decided_way: way,
      decided_at: call.now(),
      decision_note: input.note ?? '',
      version: before.version + 1,
    })
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  await audit(rows, call, { verb, resourceType: 'risk', resourceId: before.id, before, after })
  return after
}

/** The risk of a product; throws `not_found`. */
async function requireRisk(rows: Rows, productId: number, id: string): Promise<StoredRisk> {
  const risk = await rows
    .selectFrom('risk')
    .selectAll()
    .where('product_id', '=', productId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (risk === undefined) throw notFound('risk', id, 'the verdict lists the risks of its scope')
  return risk
}

/** A form of a client and a handle can be answered by the agent, so neither is a way to approve. */
function readDecisionWay({ way }: Input, call: Writing) {
  if (way === 'DECISION_WAY_FORM' || way === 'DECISION_WAY_HANDLE') {
    throw refuse('way', 'cannot be a form or a handle; decide on the confirmation page or with tracegate approve')
  }
  return readWay(way, call)
}

function checkState(risk: StoredRisk, decision: Decision, now: number): void {
  const state = stateAt({ ...risk, state: RiskState.parse(risk.state) }, now)
  const { from, verb } = transitions[decision]
  if (state === from) return
  const [is, needed] = [state, from].map((name) => name.replace('RISK_STATE_', ''))
  throw new ServiceError('failed_precondition', `the risk is ${is}; to ${verb} it, it has to be ${needed}`, {
    reason: 'RISK_STATE_INVALID',
    metadata: { state },
  })
}

/** Four eyes by person, whatever token they use; the product's settings name the environments where one is enough. */
async function requireSecondPerson(
  rows: Rows,
  { principal }: Pick<Call, 'principal'>,
  product: StoredProduct,
  risk: StoredRisk,
): Promise<void> {
  if (readJson(StoredActor, risk.accepted_by).user_id !== principal.userId) return
  const { single_user_approval: allowed } = readJson(StoredSettings, product.settings)
  if (allowed.includes('*')) return
  const environment = await rows
    .selectFrom('environment')
    .select('name')
    .where('id', '=', risk.environment_id)
    .executeTakeFirst()
  if (environment !== undefined && allowed.includes(environment.name)) return
  const message = 'you accepted this risk, so another person has to approve it; tracegate admin makes their token'
  throw new ServiceError('failed_precondition', message, { reason: 'FOUR_EYES_REQUIRED' })
}
