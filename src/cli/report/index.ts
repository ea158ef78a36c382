import { existsSync, statSync } from 'node:fs'
import { resolve, win32 } from 'node:path'
import type { ReceivedResult, Api } from '../../client/api.ts'
import type { Config } from '../../config.ts'
import { createLog } from '../../log.ts'
import type { RequestOf, ResultOf } from '../../contract/index.ts'
import { reportFormatList } from '../../contract/test-ingest.ts'
import { ServiceError } from '../../errors.ts'
import { apiFor, openBackend, type Backend } from '../support/backend.ts'
import { chooseProduct } from '../support/choose-product.ts'
import { plain } from '../support/finding.ts'
import { ciFacts, type CiFacts } from '../support/ci.ts'
import {
  digestReports,
  findReports,
  inRequests,
  readReport,
  repositoryRoot,
  type ReadReport,
  type Unread,
} from './files.ts'
import { summary } from './summary.ts'
import { showProgress, type ShownProgress } from '../sourcemaps/progress.ts'
import type { Io, Variables } from '../support/io.ts'
import { failureLine } from '../support/failure-line.ts'

type Ingest = ReceivedResult<ResultOf<'ingestTests'>>['ingest']

/** The service needs longer for a large report than for any other call. */
const TIMEOUT_MS = 300_000

/**
 * `tracegate report FILE…`: sends the reports of a test run. Progress goes to stderr, the outcome to stdout; resolves to 1
 * when no report could be sent or the service refuses. Failed tests are not a failure here: the test runner reports them.
 */
export async function run(config: Config, io: Io): Promise<number> {
  const progress = await showProgress(io.stderr)
  const { reports, unread } = await readReports(config, progress)
  if (reports.length === 0) {
    progress.end()
    return failed(io, `no report could be read: ${unread.map(({ name, why }) => `${name} ${why}`).join('; ')}`)
  }
  const backend = await openBackend(config, {
    log: createLog(config.logLevel === 'info' ? 'warn' : config.logLevel, io.logDestination),
    onProgress: (line) => void io.stderr.write(`${line}\n`),
    timeoutMs: TIMEOUT_MS,
  })
  try {
    return await send(config, backend, { reports, unread, progress, io })
  } finally {
    progress.end()
    await backend.close()
  }
}

interface Reading {
  reports: ReadReport[]
  unread: Unread[]
}

/** The folder that paths in the reports begin with: another machine or a container may have written them. */
function pathRoot({ root }: Config): string {
  if (root === undefined) return repositoryRoot()
  return win32.isAbsolute(root) ? root : resolve(root)
}

async function readReports(config: Config, progress: ShownProgress): Promise<Reading> {
  const { files, unread } = findReports(config.operands)
  const given = pathRoot(config)
  const root = existsSync(given) ? given : repositoryRoot()
  const total = files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0)
  const reports: ReadReport[] = []
  let done = 0
  for (const file of files) {
    progress.show({ step: 'read', done, total })
    const read = await readReport(file, root)
    if ('why' in read) unread.push(read)
    else reports.push(read)
    done += 'why' in read ? 0 : read.size
  }
  return { reports, unread }
}

async function send(
  config: Config,
  backend: Backend,
  { reports, unread, progress, io }: Reading & { progress: ShownProgress; io: Io },
): Promise<number> {
  const stop = new AbortController()
  void io.stopRequested().then(() => stop.abort(new ServiceError('unavailable', 'stopped before everything was sent')))
  const api = apiFor(backend, backend.token ?? '')
  const sent: Ingest[] = []
  let failure: ServiceError | undefined
  let name = ''
  try {
    const product = await chooseProduct(api, config.product, stop.signal)
    name = product.name ?? product.id
    for await (const outcome of sendAll(api, {
      productId: product.id,
      reports,
      config,
      signal: stop.signal,
      progress,
      env: io.env,
    })) {
      if ('why' in outcome) unread.push(outcome)
      else sent.push(outcome)
    }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    failure = error
  }
  progress.end()
  if (sent.length > 0) io.stdout.write(`${summary(sent, unread, name).map(plain).join('\n')}\n`)
  if (failure !== undefined) return failed(io, failureLine(failure))
  if (sent.length > 0) return 0
  return failed(
    io,
    `the service can use none of the reports: ${unread.map(({ name: file, why }) => `${file} ${why}`).join('; ')}`,
  )
}

interface Sending {
  productId: string
  reports: readonly ReadReport[]
  config: Config
  signal: AbortSignal
  progress: ShownProgress
  env: Variables
}

/** Sends the reports in as few requests as they fit into; yields a reason for each request that the service cannot use. */
async function* sendAll(
  api: Api,
  { productId, reports, config, signal, progress, env }: Sending,
): AsyncGenerator<Ingest | Unread> {
  const requests = inRequests(reports)
  const total = reports.reduce((sum, report) => sum + report.sent, 0)
  const ci = ciFacts(env)
  const run = runFacts(config, ci, reports, requests.length)
  const isShared = config.runKey !== undefined || ci.shard?.run !== undefined
  let done = 0
  for (const [index, request] of requests.entries()) {
    progress.show({ step: 'send', done, total })
    // From a part of a run the service cannot conclude which tests were removed.
    const part = partOfRun({ index, total: requests.length }, isShared, ci)
    const body: RequestOf<'ingestTests'> = {
      product_id: productId,
      draft: {
        files: request.map(({ name, folder, content, content_encoding }) => ({
          name,
          content,
          content_encoding,
          ...(folder !== '' && { folder }),
        })),
      },
      run: { ...run, ...part },
      options: {
        link_annotations: config.requirementTags,
        root_dir: pathRoot(config),
      },
    }
    try {
      yield (await api.ingestTests(body, { signal })).ingest
    } catch (error) {
      const why = error instanceof ServiceError ? unusable(error) : undefined
      if (why === undefined) throw error
      yield { name: request.map(({ name }) => name).join(', '), why }
    }
    done += request.reduce((sum, report) => sum + report.sent, 0)
  }
}

/**
 * Which part of its run a request is. The requests of one shard name its index in the last one only, because the shard is
 * whole then; a shard whose run has a key of its own would leave that run incomplete for ever.
 */
function partOfRun({ index, total }: { index: number; total: number }, hasKey: boolean, { shard }: CiFacts) {
  if (shard !== undefined && hasKey)
    return { shard_total: shard.total, ...(index === total - 1 && { shard_index: shard.index }) }
  return total > 1 ? { shard_index: index, shard_total: total } : {}
}

/** Facts about the run that the reports lack: from the flags, else from the CI system. */
function runFacts(config: Config, ci: CiFacts, reports: readonly ReadReport[], requests: number) {
  const { environment, release } = config
  const facts = {
    environment,
    release,
    commit_sha: config.commit ?? ci.commit,
    git_branch: config.gitBranch ?? ci.gitBranch,
    ci_url: config.ciUrl ?? ci.url,
    run_key: config.runKey ?? ci.shard?.run ?? runKey(ci, digestReports(reports), requests),
  }
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))
}

/**
 * A key with which reports that are sent twice count once, and with which another job, or another variant of the same
 * tests, stays a separate run: merged into one run, a test that fails in one variant and passes in another would be flaky.
 */
function runKey({ job }: CiFacts, digest: string, requests: number): string | undefined {
  if (job !== undefined) return `${job}-${digest.slice(0, 16)}`
  // For a single request the service derives a key from the content.
  return requests > 1 ? `sha256:${digest}` : undefined
}

/** Why the service cannot use a report, in words for the user; undefined for any other failure. */
function unusable({ reason, metadata }: ServiceError): string | undefined {
  const { format, line } = metadata
  if (reason === 'REPORT_EMPTY') return 'has no test'
  if (reason === 'FORMAT_UNKNOWN') {
    return `is not ${reportFormatList}`
  }
  if (reason !== 'REPORT_UNPARSABLE') return undefined
  const place = line === undefined || line === '0' ? '' : ` from line ${line} on`
  return `cannot be read${format === undefined || format === 'REPORT_FORMAT_AUTO' ? '' : ` as ${format.replace('REPORT_FORMAT_', '')}`}${place}`
}

function failed({ stderr }: Io, why: string): number {
  stderr.write(`tracegate: ${plain(why)}\n`)
  return 1
}
