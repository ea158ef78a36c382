/**
 * The failures table: every way a call can fail. The service responds with `status` and `grpc` (contract §0.4); an agent
 * reads `agent` and `hint` (mcp §5).
 */
export const failures = {
  invalid_argument: {
    status: 400,
    grpc: 3,
    agent: 'invalid_argument',
    repeat: 'corrected',
    hint: 'Correct the named parameter and call again.',
  },
  failed_precondition: {
    status: 400,
    grpc: 9,
    agent: 'failed_precondition',
    repeat: 'never',
    hint: 'The current state does not allow it: read the state, then decide.',
  },
  unauthenticated: {
    status: 401,
    grpc: 16,
    agent: 'unauthenticated',
    repeat: 'never',
    hint: 'Ask the user for a valid token of this service: in TRACEGATE_API_TOKEN, or over HTTP in the Authorization header of the client.',
  },
  permission_denied: {
    status: 403,
    grpc: 7,
    agent: 'permission_denied',
    repeat: 'never',
    hint: 'Ask the user for a token with the required scope.',
  },
  web_only: {
    status: 403,
    grpc: 7,
    agent: 'web_only',
    repeat: 'never',
    hint: 'Only a signed-in person can do this, in the web interface.',
  },
  not_found: {
    status: 404,
    grpc: 5,
    agent: 'not_found',
    repeat: 'corrected',
    hint: 'Check the id, or list the parent.',
  },
  already_exists: { status: 409, grpc: 6, agent: 'already_exists', repeat: 'corrected', hint: 'Use the existing one.' },
  aborted: {
    status: 409,
    grpc: 10,
    agent: 'state_changed',
    repeat: 'corrected',
    hint: 'Read it again, then decide based on the new state.',
  },
  deadline_exceeded: {
    status: 408,
    grpc: 4,
    agent: 'upstream_unavailable',
    repeat: 'later',
    hint: 'Retry in a moment.',
  },
  payload_too_large: { status: 413, grpc: 3, agent: 'too_large', repeat: 'corrected', hint: 'Send less.' },
  resource_exhausted: {
    status: 429,
    grpc: 8,
    agent: 'rate_limited',
    repeat: 'later',
    hint: 'Wait as long as stated, then retry.',
  },
  internal: {
    status: 500,
    grpc: 13,
    agent: 'internal',
    repeat: 'never',
    hint: 'This is a bug in the service; find the request id in its log.',
  },
  unimplemented: {
    status: 501,
    grpc: 12,
    agent: 'feature_disabled',
    repeat: 'never',
    hint: 'Go on without it.',
  },
  unavailable: { status: 503, grpc: 14, agent: 'upstream_unavailable', repeat: 'later', hint: 'Retry in a moment.' },
  // Failures of the MCP server and the client, which the REST service never returns.
  ambiguous_name: {
    status: 400,
    grpc: 3,
    agent: 'ambiguous_name',
    repeat: 'corrected',
    hint: 'Use one of the ids listed.',
  },
  wrong_id_kind: {
    status: 400,
    grpc: 3,
    agent: 'wrong_id_kind',
    repeat: 'corrected',
    hint: 'Use the id that the named tool returns.',
  },
  confirmation_required: {
    status: 400,
    grpc: 9,
    agent: 'confirmation_required',
    repeat: 'never',
    hint: 'A person must confirm this.',
  },
  confirmation_expired: {
    status: 400,
    grpc: 9,
    agent: 'confirmation_expired',
    repeat: 'corrected',
    hint: 'Call again without confirmation to ask the person again.',
  },
  declined: {
    status: 400,
    grpc: 9,
    agent: 'declined',
    repeat: 'never',
    hint: 'Do not call again unless the user asks for it.',
  },
  misconfigured: {
    status: 502,
    grpc: 14,
    agent: 'misconfigured',
    repeat: 'never',
    hint: 'Tell the user: a setting has to be changed first.',
  },
  outcome_unknown: {
    status: 503,
    grpc: 14,
    agent: 'outcome_unknown',
    repeat: 'never',
    hint: 'Check the state before retrying.',
  },
  upstream_shape_unknown: {
    status: 502,
    grpc: 2,
    agent: 'upstream_shape_unknown',
    repeat: 'never',
    hint: 'The deployment returned a response that cannot be read.',
  },
} as const satisfies Record<string, Failure>

interface Failure {
  readonly status: number
  readonly grpc: number
  /** The code an agent reads (mcp §5). */
  readonly agent: string
  /** When repeating helps: the same call later, a call that corrects what the error names, or never. */
  readonly repeat: 'later' | 'corrected' | 'never'
  readonly hint: string
}

export type FailureCode = keyof typeof failures

export interface FieldViolation {
  field: string
  description: string
}

export interface FailureDetails {
  /** Upper-case reason of contract §0.4, e.g. `ETAG_MISMATCH`. Defaults to the code in upper case. */
  reason?: string
  /** Ids and allowed values, never text from users or events. */
  metadata?: Record<string, string>
  violations?: readonly FieldViolation[]
  retryAfterSeconds?: number
  cause?: unknown
}

/**
 * The one error that the service, the client and the tools throw on purpose. Its message is safe to show: it names the
 * value and the next step, and never holds text from events, upstream bodies or SQL. Anything else thrown is a bug and
 * becomes `internal`.
 */
export class ServiceError extends Error {
  readonly code: FailureCode
  readonly reason: string
  readonly metadata: Record<string, string>
  readonly violations: readonly FieldViolation[]
  readonly retryAfterSeconds: number | undefined

  constructor(code: FailureCode, message: string, details: FailureDetails = {}) {
    super(message, { cause: details.cause })
    this.name = 'ServiceError'
    this.code = code
    this.reason = details.reason ?? code.toUpperCase()
    this.metadata = details.metadata ?? {}
    this.violations = details.violations ?? []
    this.retryAfterSeconds = details.retryAfterSeconds
  }

  get status(): number {
    return failures[this.code].status
  }
}

/** `no issue WEB-404; …`: the failure of every lookup by id. `next` says what to do instead. */
export function notFound(kind: string, id: string, next: string): ServiceError {
  return new ServiceError('not_found', `no ${kind} ${id}; ${next}`, {
    reason: `${kind.toUpperCase().replaceAll(' ', '_')}_NOT_FOUND`,
    metadata: { id },
  })
}

/** The reason of every failure which means that the deployment does not have the endpoint (contract §0.9). */
export const ENDPOINT_MISSING = 'ENDPOINT_MISSING'

/** The reason of the failure of a request that was due after the time of its call, so that it was never sent. */
export const NOT_SENT = 'NOT_SENT'

/** The reason of a refusal that is an HTML page: a proxy or another server sent it, and it says nothing about the call. */
export const NOT_FROM_SERVICE = 'NOT_FROM_SERVICE'

/** Whether the service itself says that the token is not valid; a proxy's page says nothing of it. */
export function isTokenRefused(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'unauthenticated' && error.reason !== NOT_FROM_SERVICE
}

/** What an agent can do about a failure that has no lesson of its own. */
export function hintFor({ code, reason }: ServiceError): string {
  return reason === NOT_FROM_SERVICE
    ? 'Ask the user to check TRACEGATE_BASE_URL, and the proxy or firewall in front of the service.'
    : failures[code].hint
}

/** Whether the deployment does not offer the endpoint. It says nothing about the thing that was asked for. */
export function isEndpointMissing(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'unimplemented' && error.reason === ENDPOINT_MISSING
}

/** Whether a scope has no verdict, because nobody has computed one. */
export function isNotComputed(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.reason === 'VERDICT_NOT_COMPUTED'
}
