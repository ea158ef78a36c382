import * as z from 'zod'
import { Risk } from '../src/contract/quality-gate/risks.ts'
import { type Context, defineTool } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { explainNotOffered } from '../src/mcp/resolve/offered.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { fields, pick, teamLine } from '../src/mcp/result/output.ts'
import { stateDigest } from '../src/mcp/confirm/state.ts'
import { approveGateRisk } from './approve-gate-risk.ts'
import { failingState, findBlocker, itemWords, readVerdict } from './support/gate/blockers.ts'
import { actorName } from './support/gate/principal.ts'
import { resolveScope, scopeParameters } from './support/gate/scope.ts'
import { waysOfDecision } from './support/gate/ways.ts'
import { statusWord, verdictSentence } from './support/gate/verdict.ts'
import { ifReadable, mayBeDone, READ_BACK, unknownOutcome } from './support/writes/outcome.ts'

const input = z.strictObject({
  product: scopeParameters.product,
  blocker: z.string().describe('Failing condition or item. From compute_quality_gate.'),
  release: scopeParameters.release,
  environment: scopeParameters.environment,
  reason: z.string().trim().min(20).max(1000).describe("The user's justification, 20 characters or more."),
  days: z.int().min(1).max(90).default(30).describe('1-90, default 30.'),
  confirmation: parameters.Confirmation,
})
type Arguments = z.output<typeof input>

export const acceptGateRisk = defineTool({
  name: 'accept_gate_risk',
  toolset: 'default',
  effect: 'decide',
  unconfirmed: 'ask the user to decide on the page or in a terminal; an agent cannot accept a risk',
  title: 'Accept a quality-gate risk',
  description:
    'Accept (waive) the risk of one quality gate blocker of a release, as the user decided; a second person approves it. ' +
    'Always asks the user to confirm; never decide it alone. What fails later is not covered.',
  input,
  output: fields({
    risk: fields(pick(Risk, 'id', 'state', 'expires_at')),
    covers: z.string(),
    accepted_by: teamLine,
    verdict: z.string(),
  }),

  async confirm(args, context) {
    const { product, scope, verdict, blocker } = await readDecision(args, context)
    const until = new Date(Date.now() + args.days * 86_400_000).toISOString().slice(0, 10)
    return {
      product,
      asks: `Accept the risk of ${blocker.words} of the quality gate of ${product.name ?? product.id}${scope.words}`,
      facts: [
        { label: 'Verdict', value: `${statusWord(verdict.status)}. ${verdict.status_reason ?? ''}`.trim() },
        ...blocker.conditions.map(({ id, message }) => ({ label: id, value: message ?? 'not stated' })),
        { label: 'Covers', value: itemWords(blocker) },
        { label: 'Holds until', value: `${until} (${String(args.days)} days)` },
        { label: 'Then', value: 'waits for the approval of a second person; the gate does not pass before' },
      ],
      key: blocker.key,
      undo: 'A second person can reject it; once approved it can be revoked.',
      state: stateDigest([blocker.request, failingState(blocker.conditions)]),
    }
  },

  async run(args, context) {
    const { product, scope, blocker } = await readDecision(args, context)
    const { release_id, environment_id } = scope.request
    const request = {
      product_id: product.id,
      ...blocker.request,
      reason: args.reason,
      ttl_days: args.days,
      scope: {
        ...(release_id !== undefined && { release_id }),
        ...(environment_id !== undefined && { environment_id }),
      },
      way: waysOfDecision[context.confirmed?.way ?? 'handle'],
      ...(context.confirmed !== undefined && { request_id: context.confirmed.nonce }),
    }
    const { risk, verdict, isReadBack } = await accept(request, { args, context })
    const { release, environment } = scope.args
    const decision = { product: product.id, risk: risk.id, decision: 'approve' as const, release, environment }
    const where = await ifReadable(context.decidedAt(approveGateRisk, decision))
    const approve = nextCall(
      'approve_gate_risk',
      { ...scope.args, risk: risk.id },
      'says where a second person approves it',
    )
    return {
      answer:
        `Accepted the risk of ${blocker.words}${scope.words}; it waits for a second person, who ${whereWords(where)}.` +
        `${verdict === undefined ? '' : ` The gate is ${verdictSentence(verdict, { scope: '' })}`}${isReadBack ? READ_BACK : ''}`,
      product,
      data: {
        risk,
        covers: itemWords(blocker),
        accepted_by: risk.accepted_by?.display_name ?? (await actorName(context)),
        verdict: statusWord(verdict?.status),
      },
      next: [approve],
    }
  },
})

/** `decides at http://… within five minutes`. */
function whereWords(where: string | undefined): string {
  if (where === undefined) return 'approves it with tracegate approve in a terminal'
  return `decides ${where.startsWith('http') ? 'at' : 'with'} ${where} within five minutes, later with tracegate approve`
}

async function readDecision(args: Arguments, context: Context) {
  const product = await context.resolve.product(args.product, { write: true })
  const scope = await resolveScope(args, product, context)
  const verdict = await readVerdict(scope, context)
  return { product, scope, verdict, blocker: findBlocker(verdict, args.blocker, scope) }
}

type Request = Parameters<Context['api']['acceptRisk']>[0]

/** Records the acceptance; where the reply is lost, the pending risk with this reason shows that it is done. */
async function accept(request: Request, { args, context }: { args: Arguments; context: Context }) {
  const { api, signal } = context
  try {
    return { ...(await api.acceptRisk(request, { signal })), isReadBack: false }
  } catch (error) {
    if (!mayBeDone(error)) {
      return explainNotOffered('the acceptance of risks', { hint: 'ask the user to decide in the web interface.' })(
        error,
      )
    }
    const read = await ifReadable(readDecisionAgain(args, context))
    const risk = read?.risks?.find(({ reason }) => reason === request.reason)
    if (risk !== undefined) return { risk, verdict: read, isReadBack: true }
    throw unknownOutcome(error, {
      next: nextCall('get_quality_gate', { product: request.product_id }, 'lists the risks'),
    })
  }
}

async function readDecisionAgain(args: Arguments, context: Context) {
  const product = await context.resolve.product(args.product, { write: true })
  return readVerdict(await resolveScope(args, product, context), context)
}
