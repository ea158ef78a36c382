import { appendFileSync, writeFileSync } from 'node:fs'
import type { Api } from '../../client/api.ts'
import { ConfigError, type Config } from '../../config.ts'
import { createLog } from '../../log.ts'
import type { RequestOf } from '../../contract/index.ts'
import { ServiceError } from '../../errors.ts'
import { createResolver } from '../../mcp/resolve/index.ts'
import { judgedWords, resolveJudged } from '../../mcp/resolve/judged-words.ts'
import { tryWriting } from '../files/failures.ts'
import { apiFor, openBackend } from '../support/backend.ts'
import { chooseProduct } from '../support/choose-product.ts'
import { ciFacts } from '../support/ci.ts'
import { failureLine } from '../support/failure-line.ts'
import { plainLines } from '../support/finding.ts'
import type { Io } from '../support/io.ts'
import { conditionFindings, oneLine, statedName, verdictNotes, type GateReport, type Verdict } from './findings.ts'
import { verdictPicture } from '../../pages/picture/from-verdict.ts'
import { asGitHub } from './as-github.ts'
import { asHtml } from './as-html.ts'
import { asJUnit } from './as-junit.ts'
import { asMarkdown } from './as-markdown.ts'
import { asSarif } from './as-sarif.ts'
import { asText } from './as-text.ts'
import { COULD_NOT_ASK, outcome } from './outcome.ts'

/** Time between two computations while a test run still lacks shards. */
const POLL_MS = 5000

/**
 * `tracegate gate`: computes the verdict of a release, a commit or the whole product, waits for test runs that lack
 * shards, and prints the verdict with its causes. Resolves to 0 for pass, 1 for fail, 2 for inconclusive and 3 when
 * nothing could be asked (`outcome.ts`).
 */
export async function run(config: Config, io: Io): Promise<number> {
  try {
    const backend = await openBackend(config, {
      log: createLog(config.logLevel === 'info' ? 'warn' : config.logLevel, io.logDestination),
      onProgress: (line) => void io.stderr.write(`${line}\n`),
    })
    try {
      return await judge(config, io, apiFor(backend, backend.token ?? ''))
    } finally {
      await backend.close()
    }
  } catch (error) {
    if (!(error instanceof ServiceError) && !(error instanceof ConfigError)) throw error
    const why = error instanceof ServiceError ? failureLine(error) : error.message
    io.stderr.write(`${plainLines(why).replace(/^/gm, 'tracegate: ')}\n`)
    return COULD_NOT_ASK
  }
}

async function judge(config: Config, io: Io, api: Api): Promise<number> {
  const stop = new AbortController()
  void io.stopRequested().then(() => stop.abort(new ServiceError('unavailable', 'stopped before there was a verdict')))
  const { signal } = stop
  const product = await chooseProduct(api, config.product, signal)
  const scope = await readScope(config, io, { api, productId: product.id, signal })
  const verdict = await settledVerdict(api, { request: scope.request, config, io, signal })
  const { code, allowance } = outcome(verdict, config.allow)
  const report: GateReport = {
    product: oneLine(product.name ?? product.id),
    status: statedName(verdict.status),
    reason: verdict.status_reason ?? '',
    settledBy: verdict.settled_by ?? '',
    scope: scope.words,
    conditions: conditionFindings(verdict),
    notes: verdictNotes(verdict),
    allowance,
    verdictId: verdict.id === '' ? 'not stored' : verdict.id,
    digest: verdict.inputs_digest ?? 'not stated',
  }
  print(report, config, io, () => asHtml(verdictPicture(verdict, { product: report.product, scope: report.scope })))
  return code
}

interface Asked {
  api: Api
  productId: string
  signal: AbortSignal
}

/** The scope by the flags; on GitHub Actions and GitLab CI the runner's commit and git branch, where no flag says otherwise. */
async function readScope(config: Config, io: Io, { api, productId, signal }: Asked) {
  const resolve = createResolver({ api, pinned: undefined, signal })
  const ci = ciFacts(io.env)
  const judged = await resolveJudged(config, productId, resolve)
  const { release, environment } = judged
  const commit = config.commit ?? ci.commit
  const branch = config.gitBranch ?? ci.gitBranch
  const request: RequestOf<'computeGate'> = {
    product_id: productId,
    ...(release !== undefined && { release_id: release.id }),
    ...(environment !== undefined && { environment_id: environment.id }),
    ...(commit !== undefined && { commit_sha: commit }),
    ...(branch !== undefined && { git_branch: branch }),
    ...(config.baseline !== undefined && { baseline_id: config.baseline }),
  }
  const parts = [
    ...judgedWords(judged, config),
    commit && `commit ${commit.slice(0, 12)}`,
    branch && `git branch ${oneLine(branch)}`,
  ]
  return { request, words: parts.filter(Boolean).join(', ') || 'the whole product' }
}

interface Asking {
  request: RequestOf<'computeGate'>
  config: Config
  io: Io
  signal: AbortSignal
}

/** Computes until no test run of the scope lacks shards, or `--timeout` is over: the verdict is then INCONCLUSIVE. */
async function settledVerdict(api: Api, { request, config, io, signal }: Asking): Promise<Verdict> {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const { verdict } = await api.computeGate(request, { signal }).catch((error: unknown) => explain(error, request))
    requireScope(verdict, request)
    const waits = (verdict.incomplete_runs ?? []).length > 0 && waitedMs < config.timeoutSeconds * 1000
    if (!waits) return verdict
    if (waitedMs === 0) io.stderr.write('waiting for the missing shards of a test run\n')
    await io.sleep(POLL_MS, signal)
  }
}

function explain(error: unknown, { baseline_id: baseline = '' }: Asking['request']): never {
  if (!(error instanceof ServiceError) || error.reason !== 'VERDICT_NOT_FOUND' || baseline === '') throw error
  const words = `--baseline: this product has no verdict ${oneLine(baseline)}; tracegate gate prints the id of each`
  throw new ServiceError(error.code, words, { reason: error.reason, cause: error })
}

/** A deployment that ignores a member of the scope has judged something else. */
function requireScope({ scope, baseline_id: baseline }: Verdict, request: RequestOf<'computeGate'>): void {
  const ignored = [
    request.commit_sha !== undefined && scope?.commit_sha === undefined ? 'commits' : '',
    request.git_branch !== undefined && scope?.git_branch === undefined ? 'git branches' : '',
    request.baseline_id !== undefined && baseline === undefined ? 'baselines' : '',
  ].filter(Boolean)
  if (ignored.length === 0) return
  throw new ServiceError(
    'unimplemented',
    `this deployment does not judge by ${ignored.join(' and ')}: leave the flags out`,
  )
}

function print(report: GateReport, { format, output }: Config, io: Io, html: () => string): void {
  const text = format === 'html' ? html() : formats[format](report)
  const shown = output === undefined ? text : asText(report)
  io.stdout.write(`${format === 'text' || output !== undefined ? plainLines(shown) : shown}\n`)
  if (output !== undefined) tryWriting(output, () => writeFileSync(output, `${text}\n`))
  const summary = io.env['GITHUB_STEP_SUMMARY']
  if (summary !== undefined && summary !== '')
    tryWriting(summary, () => appendFileSync(summary, `${asMarkdown(report)}\n`))
}

const formats = {
  text: asText,
  github: asGitHub,
  markdown: asMarkdown,
  json: (report: GateReport) => JSON.stringify(report, undefined, 2),
  junit: asJUnit,
  sarif: asSarif,
} as const satisfies Record<Exclude<Config['format'], 'html'>, (report: GateReport) => string>
