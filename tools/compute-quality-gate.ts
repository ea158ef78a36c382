import * as z from 'zod'
import { defineTool } from '../src/mcp/define/define.ts'
import { explainNotOffered } from '../src/mcp/resolve/offered.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { nextCalls } from './support/gate/next.ts'
import { resolveScope, scopeParameters } from './support/gate/scope.ts'
import {
  itemTitles,
  pendingSentence,
  showVerdict,
  statusWord,
  verdictCuts,
  verdictOutput,
  verdictSentence,
  type Verdict,
} from './support/gate/verdict.ts'
import { mayBeDone, unknownOutcome } from './support/writes/outcome.ts'

export const computeQualityGate = defineTool({
  name: 'compute_quality_gate',
  toolset: 'default',
  effect: 'update',
  // It stores a verdict, and changes no requirement, test or decision.
  level: () => 0,
  title: 'Recompute the quality gate',
  description:
    'Recompute (refresh, run again) the quality gate verdict: what blocks the release, what is new, the path to green. ' +
    'Changes no requirement, test or risk decision.',
  input: z.strictObject(scopeParameters),
  output: verdictOutput,
  cuts: verdictCuts,

  async run({ product: given, ...named }, context) {
    const { api, resolve, signal } = context
    const product = await resolve.product(given)
    const scope = await resolveScope(named, product, context)
    const { verdict } = await api
      .computeGate(scope.request, { signal })
      .catch((error: unknown) => {
        if (!mayBeDone(error)) throw error
        throw unknownOutcome(error, { next: nextCall('get_quality_gate', scope.args, 'the newest verdict') })
      })
      .catch(
        explainNotOffered('the quality gate', { hint: 'find_coverage_gaps and find_error_issues show what is open.' }),
      )
    const { data, content } = showVerdict(verdict)
    return {
      answer: [
        verdictSentence(verdict, { scope: scope.words }),
        pendingSentence(verdict, context.offers),
        differenceSentence(verdict),
      ]
        .filter(Boolean)
        .join(' '),
      product,
      data: { ...data, page: await context.gatePage(scope.args) },
      untrusted: { ...itemTitles, content },
      next: nextCalls(verdict, scope),
    }
  },
})

/** What changed since the previous verdict of this scope. */
function differenceSentence({ previous, changes = [], status }: Verdict): string {
  if (previous === undefined) return ''
  if (previous === null) return 'First verdict of this scope.'
  const moved = changes.map(
    ({ condition_id: id, from, to }) => `${id ?? 'a condition'} ${conditionWord(from)} -> ${conditionWord(to)}`,
  )
  const before = statusWord(previous.status)
  const was = status !== undefined && before === statusWord(status) ? `${before} as before` : `was ${before}`
  return `Previous verdict: ${was}${moved.length === 0 ? '' : `; ${moved.join(', ')}`}.`
}

function conditionWord(status: string | undefined): string {
  return status === undefined ? 'not stated' : status.replace(/^CONDITION_STATUS_/, '')
}
