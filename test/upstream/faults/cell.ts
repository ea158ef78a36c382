import { createApi } from '../../../src/client/client.ts'
import type { Api } from '../../../src/client/api.ts'
import { networkSend, READ_MS, WRITE_MS } from '../../../src/client/transport.ts'
import { createUpload, type Upload } from '../../../src/client/upload.ts'
import type { EndpointName } from '../../../src/contract/index.ts'
import type { Send } from '../../../src/contract/base/wire.ts'
import type { Called, Connected } from '../../mcp/clients.ts'
import type { QualityShop } from '../../tools/quality-shop.ts'
import type { CellClock } from './cell-clock.ts'
import type { Fault, Outcome, Place, Right } from './fault.ts'
import { isDone, type Subject, type Things } from './subjects.ts'
import { isWrite, type Logged, type Upstream } from './upstream.ts'

/** Makes one call after the other, each against the deployment of its cell. */
export interface Worker {
  agent: Connected
  things: Things
  /** What the agent's server uses at the moment. */
  current: { api: Api; upload: Upload; clock: CellClock }
}

export interface Tried {
  subject: Subject
  fault: Fault | undefined
  place: Place
}

/** What came of one call against one fault. */
export interface Cell extends Tried {
  outcome: Outcome | 'partial'
  result: Called
  log: readonly Logged[]
  /** What is wrong with it, in words. */
  wrong: string[]
  /** In virtual time, which passes while the client waits: between attempts, and for an upstream that is silent. */
  tookMs: number
  /** Requests that were sent after the call, and answers that are still open. */
  leftOver(): string[]
}

/** The longest call: 25 seconds, and two for what ends it. */
const LONGEST_MS = 27_000

export interface Surroundings {
  upstream: Upstream
  shop: QualityShop
  service: Send
  things: Things
  /** Makes the clock of a call. */
  clock: () => CellClock
  /** The answers without a fault, by subject. */
  baseline: ReadonlyMap<string, Called>
}

/** One call against one fault, judged. */
export async function tryCell(tried: Tried, worker: Worker, around: Surroundings): Promise<Cell> {
  const { subject, fault, place } = tried
  const { upstream, shop, service } = around
  const things = { ...around.things, ...(await subject.prepare?.(shop, around.things)) }
  const clock = around.clock()
  const deployment = upstream.deploy(service, { clock, fault, place })
  // Less than the usual limit is read, so that huge answers take less time.
  const network = networkSend({ maxReplyBytes: 4 * 1024 * 1024 })
  const timed = clock.isVirtual ? limitedBy(clock, network) : network
  const late: string[] = []
  let ended = false
  const send: Send = (request) => {
    if (ended) late.push(`${request.method} ${request.url} after the call`)
    return timed(request)
  }
  const { baseUrl } = deployment
  const options = { baseUrl, sleep: clock.sleep, now: () => clock.now() + Date.now() }
  worker.current.api = createApi({ ...options, send: deployment.through(send), token: shop.token })
  worker.current.upload = createUpload(options)
  worker.current.clock = clock
  const result = await subject.call(worker.agent, things)
  const tookMs = clock.now()
  ended = true
  await subject.undo(shop, things, deployment.log)
  const cell: Cell = {
    ...tried,
    outcome: outcome(result, subject, around.baseline.get(subject.name)),
    result,
    log: deployment.log,
    wrong: [],
    tookMs,
    leftOver: () => [...late, ...[...deployment.open].map(() => 'an answer is still open')],
  }
  cell.wrong.push(...judge(cell, shop.token))
  void network.close()
  return cell
}

/** The network with the time limits of `networkSend` on a virtual clock. */
function limitedBy(clock: CellClock, network: Send): Send {
  return async (request) => {
    const limit = new AbortController()
    const tooSlow = Object.assign(new Error('too slow'), { code: 'UND_ERR_HEADERS_TIMEOUT' })
    clock.after(request.method === 'GET' ? READ_MS : WRITE_MS, () => limit.abort(tooSlow))
    const signal = AbortSignal.any([limit.signal, ...(request.signal === undefined ? [] : [request.signal])])
    return network({ ...request, signal })
  }
}

function outcome({ isError, text }: Called, subject: Subject, expected: Called | undefined): Cell['outcome'] {
  if (isError) return codeIn(text)
  const reads = subject.kind !== 'write' && expected !== undefined
  return reads && plain(text) !== plain(expected.text) ? 'partial' : 'ok'
}

function codeIn(text: string): Outcome {
  const [, code = 'none'] = /^error: [^\n]*\((\w+)[^()\n]*\)$/m.exec(text) ?? []
  return code as Outcome
}

/** Without what differs in every call: the nonce, and the mark of a preview. */
function plain(text: string): string {
  return text.replaceAll(/untrusted-\d{15}|\bcall\d+\b/g, '…')
}

function judge(cell: Cell, token: string): string[] {
  const { result, tookMs } = cell
  const { text } = result
  return [
    ...wrongOutcome(cell),
    ...wrongWrites(cell),
    ...forbiddenRepeats(cell.log),
    ...(result.isError ? wrongError(text) : []),
    ...(text.includes(token) ? ['the token is in the answer'] : []),
    ...(/Kanari|npx evil|<h1>/.test(text) ? ["the upstream's words are in the answer"] : []),
    ...(tookMs > LONGEST_MS ? [`it took ${String(Math.round(tookMs / 1000))} s`] : []),
  ]
}

/** Which outcomes are right for a request; a preview counts as a read. */
function kindOf(entry: Logged): keyof Right {
  if (!isWrite(entry) || entry.preview) return 'read'
  return entry.retry === 'never' ? 'other' : 'idempotent'
}

/** What a refused upload of bytes means: the presigned address has expired, or is not known. */
const refusedUpload: readonly Outcome[] = ['failed_precondition', 'not_found']

function wrongOutcome({ subject, fault, place, outcome: came, log }: Cell): string[] {
  const first = log.find((entry) => entry.struck)
  if (fault === undefined || first === undefined) return []
  if (subject.kind === 'completion') return came === 'ok' || came === 'partial' ? [] : [`suggestions fail: ${came}`]
  const hasWritten = subject.changes.some((change) => isDone(change, log))
  const right: readonly string[] = [
    ...fault.right[kindOf(first)],
    // What was only prepared has no effect, and may be prepared again.
    ...(subject.changes.some((change) => change.includes(first.endpoint as EndpointName)) ? [] : fault.right.read),
    ...(first.endpoint === 'upload' ? refusedUpload : []),
    // What a call does without is named in its answer.
    ...(place === 'always' ? [] : ['partial']),
    ...(hasWritten ? ['ok', 'outcome_unknown'] : []),
  ]
  // An answer from other requests is as good.
  if (came === 'ok' && (subject.kind !== 'write' || first.method === 'GET')) return []
  return right.includes(came) ? [] : [`${came}, but right is ${right.join(' or ')}`]
}

/** A write that was done is never called failed, and one that was not is never called done. */
function wrongWrites({ subject, result, outcome: came, log }: Cell): string[] {
  const changed = log.filter((entry) => kindOf(entry) !== 'read' && (entry.status ?? 500) < 300)
  if (subject.kind !== 'write') return changed.map(({ endpoint }) => `${endpoint} wrote, in a call that only reads`)
  const done = subject.changes.filter((change) => isDone(change, log))
  if (came === 'outcome_unknown') return []
  const said = result.isError ? { done: [], notDone: subject.changes } : subject.says(result)
  return [
    ...said.done
      .filter((change) => !done.includes(change))
      .map(([name]) => `${name ?? ''} is called done, and was not`),
    ...said.notDone
      .filter((change) => done.includes(change))
      .map(([name]) => `${name ?? ''} is called failed, and was done`),
  ]
}

/** A write that must not be repeated was sent again, though a connection had carried it. */
function forbiddenRepeats(log: readonly Logged[]): string[] {
  const writes = log.filter(
    ({ retry, preview, sent, method }) => method !== 'GET' && retry === 'never' && !preview && sent,
  )
  const same = Map.groupBy(writes, ({ endpoint, path, body }) => `${endpoint} ${path} ${body}`)
  return [...same.values()].filter(({ length }) => length > 1).map(([one]) => `${one?.endpoint ?? ''} was sent again`)
}

function wrongError(text: string): string[] {
  return [
    ...(text.length > 600 ? [`the error has ${String(text.length)} characters`] : []),
    ...(/^next: \S/m.test(text) ? [] : ['the error names no next step']),
  ]
}
