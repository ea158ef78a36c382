import * as z from 'zod'
import { Risk } from '../src/contract/quality-gate/risks.ts'
import { ServiceError } from '../src/errors.ts'
import { counted } from '../src/lib/counted.ts'
import { type Context, defineTool } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { explainNotOffered } from '../src/mcp/resolve/offered.ts'
import { stateDigest } from '../src/mcp/confirm/state.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { fields, pick, teamLine } from '../src/mcp/result/output.ts'
import { describeValue, TeachingError } from '../src/mcp/result/teach.ts'
import { waysOfDecision } from './support/gate/ways.ts'
import { coveredItems, failingState, isNamed, itemWords, readVerdict } from './support/gate/blockers.ts'
import { type GateScope, resolveScope, scopeParameters } from './support/gate/scope.ts'
import { statusWord, verdictSentence, type Verdict } from './support/gate/verdict.ts'

const NOTE_CHARACTERS = 900
/** The longest reason that the contract allows. */
const REASON_CHARACTERS = 2000

const input = z.strictObject({
  product: scopeParameters.product,
  risk: z.string().min(1).describe('Risk id, condition or item. From get_quality_gate.'),
  decision: z.enum(['approve', 'reject', 'revoke']).default('approve').describe('As the second person decides.'),
  release: scopeParameters.release,
  environment: scopeParameters.environment,
  note: parameters.named("The second person's note.", z.string().max(NOTE_CHARACTERS).optional()),
  confirmation: parameters.Confirmation,
})
type Arguments = z.output<typeof input>

export const approveGateRisk = defineTool({
  name: 'approve_gate_risk',
  toolset: 'approvals',
  effect: 'decide',
  // Whatever answers a dialog of this client is not the second person.
  ways: ['page', 'terminal'],
  title: 'Approve a quality-gate risk',
  description:
    'Prepare the approval, rejection or revocation of an accepted quality gate risk, and say where a second person decides: ' +
    'on a page or in a terminal, with their own token. Never approves by itself. The person who accepted it cannot approve it.',
  input,
  output: fields({
    risk: fields({ ...pick(Risk, 'id', 'state', 'expires_at'), conditions: z.string() }),
    accepted_by: teamLine,
    decided_by: teamLine,
    verdict: z.string(),
  }),

  async confirm(args, context) {
    const { product, scope, verdict, risk } = await readDecision(args, context)
    return {
      product,
      asks: `${verbs[args.decision]} the accepted risk of ${conditionWords(risk)} of ${product.name ?? product.id}${scope.words}`,
      facts: [
        { label: 'Verdict', value: `${statusWord(verdict.status)}. ${verdict.status_reason ?? ''}`.trim() },
        { label: 'Accepted by', value: risk.accepted_by?.display_name ?? 'not stated' },
        { label: 'Their reason', value: risk.reason ?? 'not stated', characters: REASON_CHARACTERS },
        { label: 'Covers', value: coverWords(verdict, risk) },
        { label: 'Holds until', value: risk.expires_at ?? 'not stated' },
        // A person reads all of what is recorded as theirs.
        ...(args.note === undefined
          ? []
          : [{ label: 'Note that is recorded as yours', value: args.note, characters: NOTE_CHARACTERS }]),
        ...(args.decision === 'approve' ? [{ label: 'Then', value: 'it waives what it covers, until it ends' }] : []),
      ],
      key: risk.condition_ids?.[0] ?? 'risk',
      undo: args.decision === 'approve' ? 'It can be revoked.' : 'The risk has to be accepted again.',
      state: stateDigest([risk.id, risk.etag, risk.state, failingState(waived(verdict, risk))]),
    }
  },

  async run(args, context) {
    const { api, signal, confirmed } = context
    const { product, scope, risk } = await readDecision(args, context)
    const { risk: decided, verdict } = await api
      .approveRisk(
        {
          product_id: product.id,
          risk_id: risk.id,
          decision: `RISK_DECISION_${args.decision === 'approve' ? 'APPROVE' : args.decision === 'reject' ? 'REJECT' : 'REVOKE'}`,
          way: waysOfDecision[confirmed?.way ?? 'page'],
          ...(args.note !== undefined && { note: args.note }),
          ...(risk.etag !== undefined && { etag: risk.etag }),
          ...(confirmed !== undefined && { request_id: confirmed.nonce }),
        },
        { signal },
      )
      .catch((error: unknown) => {
        throw explainRefusal(error)
      })
      .catch(
        explainNotOffered('the approval of risks', { hint: 'ask the second person to decide in the web interface.' }),
      )
    const after = verdict === undefined ? '' : ` The gate is ${verdictSentence(verdict, { scope: '' })}`
    return {
      answer: `${past[args.decision]} the risk of ${conditionWords(risk)}${scope.words}.${after}`,
      product,
      data: {
        risk: { ...decided, conditions: conditionWords(decided) },
        accepted_by: decided.accepted_by?.display_name,
        decided_by: decided.decided_by?.display_name ?? decided.approved_by?.display_name,
        verdict: statusWord(verdict?.status),
      },
      next: [nextCall('get_quality_gate', scope.args, 'the verdict in full')],
    }
  },
})

const verbs = { approve: 'Approve', reject: 'Reject', revoke: 'Revoke' } as const
const past = { approve: 'Approved', reject: 'Rejected', revoke: 'Revoked' } as const

type FoundRisk = NonNullable<Verdict['risks']>[number]

async function readDecision(args: Arguments, context: Context) {
  const product = await context.resolve.product(args.product, { write: true })
  const scope = await resolveScope(args, product, context)
  const verdict = await readVerdict(scope, context)
  return { product, scope, verdict, risk: findRisk(verdict, args, scope) }
}

/** The risk by its id, or the only one that names the condition or covers the item and can be decided so. */
function findRisk(verdict: Verdict, { risk: named, decision }: Arguments, { args }: GateScope): FoundRisk {
  const { risks = [] } = verdict
  const state = decision === 'revoke' ? 'RISK_STATE_APPROVED' : 'RISK_STATE_PENDING_APPROVAL'
  const open = risks.filter((risk) => risk.state === undefined || risk.state === state)
  const wanted = named.trim()
  const byId = risks.find(({ id }) => id === wanted)
  const byName = open.filter(
    (risk) =>
      (risk.condition_ids ?? []).includes(wanted) || coveredItems(verdict, risk).some((item) => isNamed(item, wanted)),
  )
  const found = byId ?? (byName.length === 1 ? byName[0] : undefined)
  if (found !== undefined) return found
  const list = open.map((risk) => `${risk.id} (${conditionWords(risk)})`)
  throw new TeachingError('not_found', `no accepted risk to ${decision} in the newest verdict of this scope`, {
    sent: `risk = ${describeValue(named)}`,
    expected:
      list.length === 0
        ? 'accept_gate_risk first, or the release and environment with which the risk was accepted'
        : `risk: ${list.slice(0, 3).join(' | ')}`,
    next: nextCall('get_quality_gate', args, 'lists the risks'),
  })
}

/** Why the service refuses a decision, by its reason (contract §7); any other failure as it is. */
const refusals: ReadonlyMap<string, string> = new Map([
  ['FOUR_EYES_REQUIRED', 'the person who accepted a risk cannot approve it: a second person has to'],
  ['PERSON_REQUIRED', 'only a person decides on a risk: an agent and a CI system cannot'],
  ['RISK_STATE_INVALID', 'this risk has been decided or has ended meanwhile'],
])

function explainRefusal(error: unknown): unknown {
  const message = error instanceof ServiceError ? refusals.get(error.reason) : undefined
  if (!(error instanceof ServiceError) || message === undefined) return error
  return new TeachingError(error.code, message, {}, { reason: error.reason, cause: error })
}

/** The conditions that the risk names, as they are now. */
function waived({ conditions = [] }: Verdict, { condition_ids: ids = [] }: FoundRisk) {
  return conditions.filter(({ id }) => ids.includes(id))
}

function conditionWords({ condition_ids: conditions = [], id }: FoundRisk): string {
  return conditions.length === 0 ? `risk ${id}` : conditions.join(', ')
}

/** Their keys, where the verdict lists them: what fails in it is what the person answers for. */
function coverWords(verdict: Verdict, risk: FoundRisk): string {
  const { covered_evidence: covered } = risk
  if (covered === undefined) return 'not stated'
  if (covered.length === 0) return 'no items'
  const items = coveredItems(verdict, risk)
  if (items.length > 0) return itemWords({ items, total: covered.length })
  const byType = Map.groupBy(covered, ({ type }) => type ?? 'item')
  return Array.from(byType, ([type, { length }]) => counted(length, type)).join(', ')
}
