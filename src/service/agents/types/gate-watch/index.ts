import * as z from 'zod'
import { gateScope } from '../../../../contract/quality-gate/gate.ts'
import { shortName } from '../../../../contract/quality-gate/short-name.ts'
import { readEndedRisks } from '../../../gate/risks/facts.ts'
import { readGateScope, type GateScope, type GateScopeInput } from '../../../gate/scope.ts'
import { computeVerdictIn } from '../../../gate/verdict/compute.ts'
import { readVerdict } from '../../../gate/verdict/current.ts'
import { findVerdict, newestVerdicts } from '../../../gate/verdict/store.ts'
import { createTruncationNotes } from '../../../shared/truncation-notes.ts'
import type { Rows } from '../../../sql/database.ts'
import type { StoredProduct } from '../../../workspace/products.ts'
import { defineAgent, type AgentContext, type AgentResult, type EventData } from '../../define.ts'
import { environmentRef, releaseRef, requireNamedEnvironment, requireNamedRelease } from '../../named.ts'
import { readGapActions } from './actions.ts'
import { listImproved } from './improved.ts'
import { readLastRun, type LastRun } from './last-run.ts'
import { GateWatchOutput } from './output.ts'
import { reportVerdict, type VerdictBody } from './report.ts'
import { describeFindings, summarise } from './words.ts'

const input = z.strictObject({
  release: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Id or version of the release to judge; a version in several environments needs `environment`.'),
  environment: z.string().min(1).max(64).optional().describe('Id or name of the environment to judge.'),
  commit_sha: gateScope.commit_sha,
  git_branch: gateScope.git_branch,
  recompute: z.boolean().default(true).describe('false: read the newest stored verdict instead of computing one.'),
})
type Input = z.output<typeof input>

export const gateWatch = defineAgent({
  id: 'gate_watch',
  title: 'Quality gate watch',
  description:
    'Computes the verdict of the product, a release, an environment or a branch and says what changed since its last run: conditions, newly failing items, ' +
    'risks that end. Names what would settle an inconclusive verdict.',
  version: '1.0.0',
  reads: ['requirements', 'tests', 'issues', 'risks'],
  writes: ['verdicts'],
  input,
  output: GateWatchOutput,

  async run(context, asked) {
    await context.progress({ phase: 'scope', done: 0, total: 0 })
    const watch = await openWatch(context, asked)
    await context.progress({ phase: 'verdict', done: 0, total: 1 })
    if (!asked.recompute) {
      const verdict = await readVerdict(context.rows, context.call, context.product, watch.request)
      const last = comparableRun(watch.last, verdict)
      const { result, findings } = await finish(context.rows, { ...watch, last }, { verdict, newestBefore: verdict.id })
      for (const finding of findings) await context.finding(...finding)
      return result
    }
    return {
      async commit({ rows, action, finding }) {
        const [newest] = await newestVerdicts(rows, watch.scope, 1)
        const last = watch.last && (await keepStored(rows, context.product.id, watch.last))
        // Evidence that the verdict of the last run lists is not new.
        const request = { ...watch.request, baseline_id: last?.verdict.id }
        const verdict = await computeVerdictIn(rows, context.call, context.product, request)
        const { result, findings } = await finish(rows, { ...watch, last }, { verdict, newestBefore: newest?.id ?? '' })
        if (verdict.id !== newest?.id)
          action(`Stored a verdict: ${shortName(verdict.status)}.`, {
            verdict_id: verdict.id,
            status: shortName(verdict.status),
          })
        for (const one of findings) finding(...one)
        return result
      },
    }
  },
})

/** What a run watches, and what it compares with. */
interface Watch {
  product: StoredProduct
  scope: GateScope
  request: GateScopeInput
  shown: GateWatchOutput['scope']
  last: LastRun | undefined
  now: number
}

async function openWatch({ rows, product, call, previous, now }: AgentContext, asked: Input): Promise<Watch> {
  const { release: named, environment: place, commit_sha, git_branch } = asked
  const environment = place === undefined ? undefined : await requireNamedEnvironment(rows, product.id, place)
  const wanted = { named: named ?? '', environmentId: environment?.id }
  const release = named === undefined ? undefined : await requireNamedRelease(rows, product.id, wanted)
  const request = { release_id: release?.id, environment_id: environment?.id, commit_sha, git_branch }
  const scope = await readGateScope(rows, call, product, request)
  const places = [
    release && `release ${release.version}`,
    environment && `environment ${environment.name}`,
    scope.commitSha && `commit ${scope.commitSha}`,
    scope.gitBranch && `git branch ${scope.gitBranch}`,
  ]
  const shown = {
    name: places.filter(Boolean).join(', ') || 'the whole product',
    release: release === undefined ? null : releaseRef(release),
    environment: environment === undefined ? null : environmentRef(environment),
    commit_sha: scope.commitSha,
    git_branch: scope.gitBranch,
  }
  return { product, scope, request, shown, last: readLastRun(previous, scope), now }
}

/** The last run if its verdict is stored: old verdicts are removed. */
async function keepStored(rows: Rows, productId: number, last: LastRun): Promise<LastRun | undefined> {
  return (await findVerdict(rows, productId, last.verdict.id)) === undefined ? undefined : last
}

/** A stored verdict tells what is new since the one before it, so only a last run on one of these two is compared with it. */
function comparableRun(last: LastRun | undefined, { id, previous }: VerdictBody): LastRun | undefined {
  return last?.verdict.id === id || last?.verdict.id === previous?.id ? last : undefined
}

async function finish(
  rows: Rows,
  { product, scope, shown, last, now }: Watch,
  { verdict, newestBefore }: { verdict: VerdictBody; newestBefore: string },
): Promise<{ result: AgentResult<typeof GateWatchOutput>; findings: [message: string, data: EventData][] }> {
  const since = last?.checked_at ?? verdict.previous?.computed_at
  const ended =
    since === undefined
      ? []
      : await readEndedRisks(rows, { productId: scope.productId, scope, now, since: Date.parse(since) })
  const gapActions = await readGapActions(rows, product, { verdict, environmentId: scope.environmentId, now })
  const improved = await readImproved(rows, product.id, [last?.verdict.id ?? verdict.previous?.id ?? '', verdict.id])
  const notes = createTruncationNotes()
  const output = reportVerdict({ verdict, newestBefore, last, scope: shown, ended, improved, gapActions, now }, notes)
  return {
    findings: describeFindings(output),
    result: { summary: summarise(output), output, truncationSignals: notes.list() },
  }
}

async function readImproved(rows: Rows, productId: number, [earlierId, id]: [earlierId: string, id: string]) {
  const [earlier, now] = [await findVerdict(rows, productId, earlierId), await findVerdict(rows, productId, id)]
  return earlier === undefined || now === undefined ? [] : listImproved(earlier, now)
}
