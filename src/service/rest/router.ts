import type { Endpoint } from '../../contract/base/endpoint.ts'
import { contract, type EndpointName } from '../../contract/index.ts'
import type { Send, WireReply, WireRequest } from '../../contract/base/wire.ts'
import { ServiceError } from '../../errors.ts'
import { toActor, type Authenticator } from './auth.ts'
import type { Call, Handlers, Platform, Principal } from '../shared/context.ts'
import { dryRun } from './dry-run.ts'
import type { Idempotency } from './idempotency.ts'
import { createIntake, type IntakeLimits } from '../../lib/intake.ts'
import { createRateLimit, type Rate, type RateLimit } from '../../lib/token-bucket.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../shared/log.ts'
import { stackText } from '../../lib/stack.ts'
import { rememberedAnswer } from './remembered-answers.ts'
import { errorBody, errorReply, toFailure, jsonReply, textReply } from './replies.ts'
import { compileReader, type ParsedRequest } from './requests.ts'
import { TextReply } from '../shared/text-reply.ts'
import { splitAddress } from '../shared/split-address.ts'
import { compileRoutes } from './routes.ts'
import type { OpenStreams } from './streams/open-streams.ts'
import { chooseForm, type StreamItem } from './streams/stream-form.ts'
import { emptyReply, streamReply } from './streams/stream-reply.ts'
import type { Database } from '../sql/database.ts'
import { withOneState } from '../sql/one-state.ts'
import { webOnly } from './web-only.ts'
import { requireScope } from '../workspace/access.ts'

export interface RouterOptions {
  /** Endpoints without a handler answer 501. */
  handlers: Partial<Handlers<EndpointName>>
  db: Database
  symbolicator: Call['symbolicator']
  platform: Platform
  authenticator: Authenticator
  idempotency: Idempotency
  streams: OpenStreams
  /** Time of streams. */
  clock: Clock
  /** REST rate limit per token; none for the client in this process. */
  rate?: Rate | undefined
  /** What counts the requests of a token; by default this process alone. */
  rateLimit?: RateLimit | undefined
  /** Limits for bodies; the default is the contract's. */
  intake?: IntakeLimits | undefined
  /** Compare every response with the contract: a violation becomes an `internal` that names it. For tests. */
  checkResponses?: boolean | undefined
  log?: Log | undefined
}

/** REST rate limit of contract §0.4. */
export const defaultRate: Rate = { perSecond: 20, burst: 100 }

const MiB = 1024 * 1024

/** Bodies that arrive or are being handled (contract §0.4): a token may send a few of the largest reports at once. */
const defaultIntake: IntakeLimits = {
  bytes: 96 * MiB,
  bytesPerOwner: 72 * MiB,
  timeoutMs: 300_000,
  graceMs: 10_000,
  bytesPerSecond: 1024,
}

interface Route {
  name: EndpointName
  endpoint: Endpoint
  read: ReturnType<typeof compileReader>
  /** The handler of this endpoint, without its types: `read` returns the output of its schema. */
  handle: ((input: unknown, call: Call) => Promise<unknown>) | undefined
}

/** What the handler of a stream resolves to (`StreamHandler`). */
type OpenStream = ((signal: AbortSignal) => AsyncGenerator<StreamItem, void>) | undefined

/** A request that is being answered, as its log entries name it. */
interface Answering {
  request: WireRequest
  requestId: string
  where: string
  started: number
}

type Target = Route | 'web_only'

interface Found {
  target: Target
  parameters: Record<string, string>
  origin: string
  query: string
  where: string
}

/** The service under `/v1` as one function: a fold over the contract table (contract §0). It never rejects. */
export function createRouter(options: RouterOptions): Send {
  const { platform, authenticator, rate, log } = options
  const match = compileRoutes<Target>(routesOf(options.handlers))
  const intake = createIntake(options.intake ?? defaultIntake)
  const takeToken = options.rateLimit ?? createRateLimit({ now: () => platform.now() })

  async function answer(answering: Answering, found: Found): Promise<WireReply> {
    const { request, requestId } = answering
    const principal = await authenticator.authenticate(request.headers['authorization'])
    if (rate !== undefined) checkRate(takeToken(principal.tokenId, 1, rate))
    if (found.target === 'web_only') throw webSessionRequired()
    const { endpoint, handle, read } = found.target
    requireScope(principal, endpoint.scope)
    if (handle === undefined) throw notBuilt()
    const hold = intake.hold(principal.tokenId)
    try {
      const parsed = await read(request, found.query, found.parameters, hold)
      const from = { endpoint: found.target.name, origin: found.origin, via: readVia(request) }
      const call = createCall(options, principal, from, parsed)
      if (endpoint.stream !== undefined) return await answerStream(answering, found.target, parsed, call)
      const body = await run(options, found.target, parsed, call)
      const reply = body instanceof TextReply ? textReply(body, requestId) : jsonReply(200, body, requestId)
      if (parsed.validateOnly) reply.headers['x-svc-validate-only'] = 'true'
      return reply
    } finally {
      hold.release()
    }
  }

  /** The reply to a request for a stream. What fails before its first item is an ordinary error reply. */
  async function answerStream(
    answering: Answering,
    route: Route,
    { input }: ParsedRequest,
    call: Call,
  ): Promise<WireReply> {
    const { request, requestId } = answering
    const { tokenId, workspaceIds } = call.principal
    const facts = route.endpoint.stream
    options.streams.requireRoom(tokenId)
    const open = (await route.handle?.(input, call)) as OpenStream
    if (open === undefined || facts === undefined) return emptyReply(requestId)
    return streamReply({
      form: chooseForm(facts, request.headers['accept'], input as StreamItem),
      open: (signal) => (options.checkResponses === true ? checkedItems(route, open(signal)) : open(signal)),
      enter: () => options.streams.enter(tokenId, request.signal),
      async recheck() {
        const now = await authenticator.authenticate(request.headers['authorization'])
        return workspaceIds.every((id) => now.workspaceIds.includes(id)) && now.scopes.has(route.endpoint.scope)
      },
      failed: (thrown) => errorBody(toLoggedFailure(answering, thrown), requestId),
      clock: options.clock,
      requestId,
    })
  }

  /** What was thrown as a failure; one that is the service's own is logged. */
  function toLoggedFailure({ requestId, where, started }: Answering, thrown: unknown): ServiceError {
    const failure = toFailure(thrown)
    if (failure.status >= 500 && failure.code !== 'unimplemented') {
      const durationMs = platform.now() - started
      const error = stackText(failure.cause ?? failure)
      log?.({ level: 'error', message: failure.message, requestId, where, status: failure.status, durationMs, error })
    }
    return failure
  }

  return async function send(request) {
    const requestId = readRequestId(request, platform)
    const answering = { request, requestId, where: request.method, started: platform.now() }
    try {
      const found = find(match, request)
      answering.where = found.where
      const answered = () => answer(answering, found)
      return await (isRead(found) ? withOneState(answered) : answered())
    } catch (thrown) {
      return errorReply(toLoggedFailure(answering, thrown), requestId)
    }
  }
}

function* routesOf(handlers: Partial<Handlers<EndpointName>>): Iterable<readonly [string, string, Target]> {
  for (const [method, path] of webOnly) yield [method, path, 'web_only']
  for (const name of Object.keys(contract) as EndpointName[]) {
    const endpoint: Endpoint = contract[name]
    const handle = handlers[name] as Route['handle']
    yield [endpoint.method, endpoint.path, { name, endpoint, read: compileReader(endpoint), handle }]
  }
}

function find(match: ReturnType<typeof compileRoutes<Target>>, request: WireRequest): Found {
  const { origin, path, query } = splitAddress(request.url)
  const found = match(request.method, path)
  if (found === undefined) {
    throw new ServiceError('not_found', 'no such path; /openapi.json lists all', { reason: 'PATH_NOT_FOUND' })
  }
  const { target, parameters } = found
  if (target === undefined) {
    throw new ServiceError(
      'unimplemented',
      `this path does not take ${request.method.slice(0, 10)}; see /openapi.json`,
      {
        reason: 'METHOD_NOT_ALLOWED',
      },
    )
  }
  const where = target === 'web_only' ? `${request.method} web-only` : `${request.method} ${target.endpoint.path}`
  return { target, parameters, origin, query, where }
}

/** Whether a request reads and ends: a stream goes on, and what it says is of many states. */
function isRead({ target }: Found): boolean {
  return target !== 'web_only' && target.endpoint.method === 'GET' && target.endpoint.stream === undefined
}

function createCall(
  options: RouterOptions,
  principal: Principal,
  from: Pick<Call, 'endpoint' | 'origin' | 'via'>,
  { validateOnly }: ParsedRequest,
): Call {
  const { platform, db, symbolicator } = options
  return {
    now: () => platform.now(),
    newId: () => platform.newId(),
    db: validateOnly ? dryRun(db) : db,
    symbolicator,
    principal,
    actor: toActor(principal),
    byAgent: from.via === 'mcp' || principal.tokenKind === 'agent',
    ...from,
    validateOnly,
  }
}

/** Calls the handler, once per request id where there is one; resolves to the response as JSON, or as another text. */
async function run(
  options: RouterOptions,
  route: Route,
  parsed: ParsedRequest,
  call: Call,
): Promise<string | TextReply> {
  const { requestKey, input, hash, validateOnly } = parsed
  if (Object.hasOwn(route.endpoint.formats, parsed.format)) return (await route.handle?.(input, call)) as TextReply
  const answer = async (asked: Call) => {
    const response = await route.handle?.(input, asked)
    if (options.checkResponses === true) checkResponse(route, response)
    return JSON.stringify(response)
  }
  if (route.endpoint.method === 'GET') return rememberedAnswer(call, input, answer)
  if (requestKey === undefined || validateOnly) return answer(call)
  const work = (db: Database) => answer({ ...call, db })
  return options.idempotency.once({ tokenId: call.principal.tokenId, key: requestKey, hash }, work)
}

function checkResponse({ name, endpoint }: Route, response: unknown) {
  const checked = endpoint.returns.safeParse(response)
  if (checked.success) return
  const problems = checked.error.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`)
  throw new ServiceError('internal', `the response of ${name} breaks the contract: ${problems.join('; ')}`)
}

async function* checkedItems(route: Route, items: AsyncGenerator<StreamItem, void>): AsyncGenerator<StreamItem, void> {
  for await (const item of items) {
    checkResponse(route, item)
    yield item
  }
}

/** The mark of a request for a tool. It can only take rights away, so any caller may send it. */
function readVia({ headers }: WireRequest): Call['via'] {
  return headers['x-svc-via']?.trim().toLowerCase() === 'mcp' ? 'mcp' : ''
}

function readRequestId({ headers }: WireRequest, platform: Platform): string {
  const given = headers['x-request-id'] ?? ''
  return /^[\w.:-]{1,64}$/.test(given) ? given : platform.newId()
}

function checkRate(waitSeconds: number) {
  if (waitSeconds === 0) return
  throw new ServiceError('resource_exhausted', `too many requests with this token; wait ${waitSeconds} s`, {
    reason: 'RATE_LIMITED',
    retryAfterSeconds: waitSeconds,
  })
}

function webSessionRequired(): ServiceError {
  return new ServiceError(
    'web_only',
    'only a signed-in person can do this; on an embedded service, tracegate init sets up a product',
    {
      reason: 'WEB_SESSION_REQUIRED',
    },
  )
}

function notBuilt(): ServiceError {
  return new ServiceError('unimplemented', 'this deployment does not offer this endpoint yet', { reason: 'NOT_BUILT' })
}
