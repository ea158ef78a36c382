import type { InputOf } from '../../../contract/index.ts'
import { notFound, ServiceError } from '../../../errors.ts'
import type { Writing } from '../../shared/context.ts'
import type { Rows } from '../../sql/database.ts'
import { readTexts } from '../../sql/json.ts'
import { audit } from '../../workspace/audit.ts'
import { withSameCause } from './cause.ts'
import { RiskState } from '../../../contract/quality-gate/risks.ts'
import { stateAt } from './counts.ts'
import { readExpiry, readLine, readWay, refuse } from './request.ts'
import { selectItems, sorted, type JudgedVerdict, type Selection } from './select.ts'
import { coveredItems, type Item, type StoredRisk } from './stored.ts'

type Input = InputOf<'acceptRisk'>

interface Accepted {
  productId: number
  /** The newest verdict of the request's scope. */
  verdict: JudgedVerdict
  /** Version of the release that the verdict judges; empty without one. */
  version: string
}

/**
 * Records that somebody accepts what fails now, and resolves to the risk, which waits for a second person (contract §7).
 * The items are those of the newest verdict and stay as they are: what fails later is not covered. Throws
 * `NOTHING_TO_ACCEPT`, `EXPIRY_TOO_FAR`, and `already_exists` with the id of a pending risk that says the same.
 */
export async function acceptRisk(
  rows: Rows,
  call: Writing,
  input: Input,
  { productId, verdict, version }: Accepted,
): Promise<StoredRisk> {
  const expiresAt = readExpiry(input, call.now())
  const way = readWay(input.way, call)
  const selection = await select(rows, call, input, { productId, verdict })
  const line = readLine(input.scope, version)
  const content = {
    product_id: productId,
    condition_ids: JSON.stringify(selection.conditionIds),
    covered_evidence: JSON.stringify(sorted(selection.items)),
    release_id: line === '' ? (input.scope?.release_id ?? '') : '',
    environment_id: input.scope?.environment_id ?? '',
    release_line: line,
  }
  await refuseIdentical(rows, call, content)
  const risk = await rows
    .insertInto('risk')
    .values({
      id: call.newId(),
      state: 'RISK_STATE_PENDING_APPROVAL',
      ...content,
      ...namedColumns(selection.named),
      reason: input.reason,
      mitigation: input.mitigation ?? '',
      ticket_url: input.ticket_url ?? '',
      severity: input.severity ?? 'RISK_LEVEL_MEDIUM',
      accepted_by: JSON.stringify(call.actor),
      accepted_way: way,
      accepted_at: call.now(),
      expires_at: expiresAt,
      renews_risk_id: input.renew_risk_id ?? '',
      verdict_id: verdict.id,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await audit(rows, call, { verb: 'accept', resourceType: 'risk', resourceId: risk.id, after: risk })
  return risk
}

async function select(
  rows: Rows,
  call: Pick<Writing, 'now'>,
  input: Input,
  { productId, verdict }: Pick<Accepted, 'productId' | 'verdict'>,
): Promise<Selection> {
  const old = await readRenewable(rows, productId, input, call.now())
  return selectItems(verdict, old === undefined ? input : renewing(input, old, verdict), {
    ...(old !== undefined && { renewed: coveredItems(old) }),
    findRelated: async (found) => (input.by_cause === true ? withSameCause(rows, productId, found) : []),
  })
}

/** The risk that the request renews: one that ended, or one that is bound to another release. */
async function readRenewable(rows: Rows, productId: number, { renew_risk_id: id, scope }: Input, now: number) {
  if (id === undefined) return undefined
  const risk = await rows
    .selectFrom('risk')
    .selectAll()
    .where('product_id', '=', productId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (risk === undefined) throw notFound('risk', id, 'use the id of a risk of this product')
  const state = stateAt({ ...risk, state: RiskState.parse(risk.state) }, now)
  const isEnded = state === 'RISK_STATE_EXPIRED' || state === 'RISK_STATE_REVOKED'
  const isOfOther = risk.release_id !== '' && risk.release_id !== (scope?.release_id ?? '')
  if (isEnded || (isOfOther && state === 'RISK_STATE_APPROVED')) return risk
  throw refuse('renew_risk_id', `is ${readable(state)} and did not end; wait for its end, or accept other items`)
}

/** A renewed risk stays within the conditions that it named, as far as they still fail. */
function renewing(input: Input, { condition_ids: stored }: StoredRisk, { conditions }: JudgedVerdict): Input {
  const before = readTexts(stored)
  if (input.condition_ids !== undefined || before.length === 0) return input
  const failing = new Set(conditions.filter(({ items }) => items.length > 0).map(({ id }) => id))
  return { ...input, condition_ids: before.filter((id) => failing.has(id)) }
}

async function refuseIdentical(
  rows: Rows,
  call: Pick<Writing, 'now'>,
  content: Pick<
    StoredRisk,
    'product_id' | 'condition_ids' | 'covered_evidence' | 'release_id' | 'environment_id' | 'release_line'
  >,
) {
  let query = rows.selectFrom('risk').select('id').where('state', '=', 'RISK_STATE_PENDING_APPROVAL')
  query = query.where('expires_at', '>', call.now())
  for (const [column, value] of Object.entries(content)) query = query.where(column as 'id', '=', value as string)
  const existing = await query.executeTakeFirst()
  if (existing === undefined) return
  throw new ServiceError('already_exists', `risk ${existing.id} says the same and waits for approval; use that one`, {
    reason: 'RISK_EXISTS',
    metadata: { existing_id: existing.id },
  })
}

function namedColumns(named: readonly Item[]) {
  const ids = (type: Item['type']) =>
    JSON.stringify(
      named
        .filter((item) => item.type === type)
        .map(({ id }) => id)
        .toSorted(),
    )
  return { requirement_ids: ids('requirement'), issue_ids: ids('issue'), test_ids: ids('test') }
}

/** `approved` of `RISK_STATE_APPROVED`. */
function readable(state: string): string {
  return state.replace('RISK_STATE_', '').replace('_', ' ').toLowerCase()
}
