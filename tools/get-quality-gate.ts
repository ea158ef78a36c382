import * as z from 'zod'
import { defineTool, type Context } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { explainNotOffered } from '../src/mcp/resolve/offered.ts'
import type { Product } from '../src/mcp/resolve/types.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { nextCalls } from './support/gate/next.ts'
import { explainNotComputed } from './support/gate/not-computed.ts'
import { resolveScope, scopeParameters, type GateScope } from './support/gate/scope.ts'
import { readMatrix, matrixOutput } from './support/gate/traceability.ts'
import {
  ageWords,
  itemTitles,
  pendingSentence,
  showVerdict,
  verdictCuts,
  verdictOutput,
  verdictSentence,
} from './support/gate/verdict.ts'

const input = z.strictObject({
  ...scopeParameters,
  view: parameters.named('What to return.', z.enum(['verdict', 'traceability']).default('verdict')),
  only: z.enum(['all', 'new']).default('all').describe('new: since the previous verdict.'),
  filter: z.enum(['all', 'holes', 'suspect', 'failing']).default('all').describe('Rows of traceability.'),
  limit: parameters.Limit,
  cursor: parameters.Cursor,
})

export const getQualityGate = defineTool({
  name: 'get_quality_gate',
  toolset: 'default',
  effect: 'read',
  title: 'Read the quality gate',
  description:
    'Can we ship? Read the latest quality gate verdict: pass or fail, why the release is blocked, accepted risks, exclusions. ' +
    'States its age; when stale use compute_quality_gate. view=traceability gives the requirement-to-test matrix.',
  input,
  output: verdictOutput.extend(matrixOutput),
  cuts: [...verdictCuts, { path: 'requirements', least: 5 }],

  async run(args, context) {
    const product = await context.resolve.product(args.product)
    const scope = await resolveScope(args, product, context)
    return args.view === 'traceability'
      ? readMatrix({ scope, product, filter: args.filter, limit: args.limit, cursor: args.cursor }, context)
      : readVerdict(args, { product, scope }, context)
  },
})

async function readVerdict(
  { only }: z.output<typeof input>,
  { product, scope }: { product: Product; scope: GateScope },
  context: Context,
) {
  const { api, signal, offers } = context
  const compute = nextCall('compute_quality_gate', scope.args, 'the verdict from what is known now')
  const { verdict } = await api
    .getGate(scope.request, { signal })
    .catch(explainNotComputed(scope))
    .catch(
      explainNotOffered('the quality gate', {
        hint: 'find_coverage_gaps and find_error_issues show what is open.',
      }),
    )
  const { data, content } = showVerdict(verdict, { onlyNew: only === 'new' })
  return {
    answer: [
      verdictSentence(verdict, { scope: scope.words, age: ageWords(verdict.computed_at, Date.now()) }),
      pendingSentence(verdict, offers),
    ]
      .filter(Boolean)
      .join(' '),
    product,
    data: { ...data, page: await context.gatePage(scope.args) },
    untrusted: { ...itemTitles, content },
    next: verdict.stale === true ? [compute, ...nextCalls(verdict, scope)].slice(0, 3) : nextCalls(verdict, scope),
  }
}
