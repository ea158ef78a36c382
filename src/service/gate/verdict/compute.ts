import type * as z from 'zod'
import { GatePolicy } from '../../../contract/quality-gate/policy.ts'
import type { Verdict } from '../../../contract/quality-gate/verdict.ts'
import type { InputOf } from '../../../contract/index.ts'
import { notFound } from '../../../errors.ts'
import type { Call, Writing } from '../../shared/context.ts'
import type { Rows } from '../../sql/database.ts'
import { readJson } from '../../sql/json.ts'
import type { StoredProduct } from '../../workspace/products.ts'
import { digestInputs } from './digest.ts'
import type { GateFacts, RiskFact } from '../facts.ts'
import { judge, type Judgement } from '../judge/index.ts'
import { readFacts } from '../read/read-facts.ts'
import { expireRisks } from '../risks/expire.ts'
import { readOpenRisks, riskFact } from '../risks/facts.ts'
import { readGateScope, type GateScope, type GateScopeInput } from '../scope.ts'
import {
  asEarlier,
  findVerdict,
  newestVerdicts,
  readBody,
  readEvidence,
  storeVerdict,
  type StoredBody,
  type StoredVerdict,
} from './store.ts'
import { viewEarlier, viewEphemeral, viewStored } from './view.ts'

export type ComputeRequest = GateScopeInput & Pick<InputOf<'computeGate'>, 'baseline_id' | 'policy_override'>

/** The members of a call that computing a verdict uses. */
type Computing = Writing & Pick<Call, 'principal'>

type VerdictBody = z.input<typeof Verdict>
type Policy = z.output<typeof GatePolicy>

/** Everything that a verdict of a scope is made from. */
export interface Inputs {
  scope: GateScope
  policy: Policy
  facts: GateFacts
  risks: RiskFact[]
  digest: string
  now: number
}

/**
 * The verdict of a scope, computed and stored in the caller's transaction, which it sees as written so far (contract §7);
 * with equal inputs the newest stored verdict, unchanged. `not_found` for ids and a baseline that are not the product's. A
 * verdict by another policy, or on a branch, is not stored. `facts` are rows that show the same facts as `rows`: those for
 * reading, where the transaction has changed none of them, because they remember (decision 093).
 */
export async function computeVerdictIn(
  rows: Rows,
  call: Computing,
  product: StoredProduct,
  request: ComputeRequest,
  { facts = rows }: { facts?: Rows } = {},
): Promise<VerdictBody> {
  await expireRisks(rows, call, product.id)
  const scope = await readGateScope(rows, call, product, request)
  const policy = choosePolicy(product, request.policy_override)
  const baseline = await readBaseline(rows, product.id, request.baseline_id)
  const inputs = await readInputs(rows, { scope, policy, now: call.now() }, { facts })
  const [newest, before] = await newestVerdicts(rows, scope, 2)
  const isKnown = newest?.inputs_digest === inputs.digest
  const isOverridden = request.policy_override !== undefined
  if (isOverridden || scope.branchId !== '') {
    const body = bodyFor(call, judgeInputs(inputs, { previous: newest, baseline }), newest)
    return viewEphemeral(rows, body, { ...inputs, baseline, isOverridden })
  }
  const row = isKnown ? newest : await store(rows, call, inputs, newest)
  const stored = readBody(row)
  const at = { scope, now: inputs.now, stale: false, baseline }
  if (baseline === undefined) return viewStored(rows, row, stored, at)
  // Only what is new differs: compared with the same verdict as before, at the time when it was computed.
  const previous = isKnown ? before : newest
  const judgement = judgeInputs({ ...inputs, now: row.computed_at }, { previous, baseline })
  return viewStored(rows, row, { ...stored, conditions: judgement.conditions, unvouched: judgement.unvouched }, at)
}

/** What a verdict of the scope is made from now. */
export async function readInputs(
  rows: Rows,
  { scope, policy, now }: Pick<Inputs, 'scope' | 'policy' | 'now'>,
  { facts: from = rows }: { facts?: Rows } = {},
): Promise<Inputs> {
  const facts = await readFacts(from, { scope, policy, now })
  const { active, pending } = await readOpenRisks(rows, { productId: scope.productId, scope, now })
  const risks = [...active, ...pending].map((risk) => riskFact(risk, { scope, now }))
  return { scope, policy, facts, risks, now, digest: await digestInputs(facts, policy, risks) }
}

/** The product's policy, with the members that a request overrides. */
export function choosePolicy({ gate_policy: stored }: Pick<StoredProduct, 'gate_policy'>, override = {}): Policy {
  const given = Object.fromEntries(Object.entries(override).filter(([, value]) => value !== undefined))
  return { ...readJson(GatePolicy, stored), ...given }
}

function judgeInputs(
  { facts, policy, risks, now }: Inputs,
  { previous, baseline }: { previous?: StoredVerdict | undefined; baseline?: StoredVerdict | undefined },
): Judgement {
  return judge({
    facts,
    policy,
    risks,
    now,
    previous: previous && asEarlier(previous),
    baseline: baseline && { evidence: readEvidence(baseline) },
  })
}

async function readBaseline(rows: Rows, productId: number, id: string | undefined) {
  if (id === undefined) return undefined
  const baseline = await findVerdict(rows, productId, id)
  if (baseline === undefined) throw notFound('verdict', id, 'use the id of an earlier verdict of the product')
  return baseline
}

function store(
  rows: Rows,
  call: Computing,
  inputs: Inputs,
  previous: StoredVerdict | undefined,
): Promise<StoredVerdict> {
  const { scope, digest, now } = inputs
  const judgement = judgeInputs(inputs, { previous })
  const body = bodyFor(call, judgement, previous)
  return storeVerdict(rows, call, scope, { digest, judgement, body, now })
}

function bodyFor(
  call: Pick<Computing, 'actor'>,
  judgement: Judgement,
  previous: StoredVerdict | undefined,
): StoredBody {
  const { evidenceIdentities: _all, ...shown } = judgement
  return { ...shown, previous: previous === undefined ? null : viewEarlier(previous), computed_by: call.actor }
}
