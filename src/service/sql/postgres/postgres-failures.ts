import { ServiceError } from '../../../errors.ts'

/** Of the network, before an answer of the server. */
const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
])

/**
 * SQLSTATEs after which the same call may succeed later, by their first characters: connection failures, too many
 * connections, no room, a conflict with another transaction, a lock or a statement that took too long, a server that stops
 * or starts, or that takes no writes at the moment (PostgreSQL, appendix A).
 */
const PASSING = ['08', '53', '40', '55P03', '57014', '57P01', '57P02', '57P03', '25P03', '25006']
const FULL = '53100'
/** Of a name or a path that is longer than an entry of an index; those of events and reports are shortened. */
const TOO_LONG = '54000'
/** A standby, or a database that its provider has locked, as when its disk is nearly full. */
const READ_ONLY = '25006'

/** The SQLSTATE or the code of Node.js. */
function codeFrom(error: unknown): string {
  if (error instanceof AggregateError) return codeFrom(error.errors[0])
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Whether the same call may succeed later. */
export function isPassing(error: unknown): boolean {
  const code = codeFrom(error)
  if (NETWORK.has(code) || PASSING.some((known) => code.startsWith(known))) return true
  // The socket of a server, or of a pooler, that was stopped.
  if (code === 'ENOENT') return (error as NodeJS.ErrnoException).syscall === 'connect'
  // `pg` gives these no code.
  return (
    error instanceof Error &&
    /^(Connection terminated|Client (was closed|has encountered)|timeout exceeded|Query read timeout)/i.test(
      error.message,
    )
  )
}

/** Whether a statement was refused only because an earlier one of its transaction has failed. */
export function isAborted(error: unknown): boolean {
  return codeFrom(error) === '25P02'
}

/** Whether the session takes no writes: another one may. */
export function isReadOnly(error: unknown): boolean {
  return codeFrom(error) === READ_ONLY
}

/**
 * Turns temporary failures into `unavailable`, and that of a text which is too long to be found again into `invalid_argument`; returns
 * every other failure as it is.
 */
export function translate(error: unknown): unknown {
  if (codeFrom(error) === TOO_LONG) {
    const message = 'a name or a path is too long for the database; shorten it to 1,200 bytes of UTF-8'
    return new ServiceError('invalid_argument', message, { reason: 'FIELD_INVALID', cause: error })
  }
  if (error instanceof ServiceError || !isPassing(error)) return error
  const message = passing[codeFrom(error)] ?? 'the database server is busy or cannot be reached; repeat in a moment'
  return new ServiceError('unavailable', message, { reason: 'DATABASE_BUSY', retryAfterSeconds: 1, cause: error })
}

/** Of temporary failures that somebody has to end. */
const passing: Record<string, string> = {
  [FULL]: 'the disk of the database server is full; make room, then repeat',
  [READ_ONLY]:
    'the database takes no writes: it is a standby, or was set to read-only; change that at its server, then repeat',
}

/** Runs the work; a temporary failure is thrown as `unavailable`. */
export async function translating<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw translate(error)
  }
}

/** What to do about a server that cannot be used, by SQLSTATE or code of Node.js. */
const remedies: Record<string, string> = {
  '28P01': 'the password is wrong; correct it in TRACEGATE_DATABASE_URL',
  '28000': 'the server does not let this user in; check the user and pg_hba.conf',
  '3D000': 'the database does not exist; create it, or correct its name in TRACEGATE_DATABASE_URL',
  '42501': 'the user may not create tables; make it the owner of the database',
  [READ_ONLY]:
    'it takes no writes: it is a standby, or was set to read-only; name the primary server, or change that at the server',
  ENOTFOUND: 'the host is unknown; correct it in TRACEGATE_DATABASE_URL',
  ERR_INVALID_URL: 'this is no address; write postgres://user:password@host:port/database',
}

/** The failure of opening the database at an address, with the way out. It never holds the password. */
export function explainOpening(url: string, error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  const code = codeFrom(error)
  const why =
    remedies[code] ??
    `${error instanceof Error ? error.message : String(error)}; start the server, or correct the address`
  const message = `the database ${withoutPassword(url)} cannot be used: ${why}`
  const isDown = remedies[code] === undefined && isPassing(error)
  return new ServiceError(isDown ? 'unavailable' : 'failed_precondition', message, {
    reason: 'DATABASE_UNUSABLE',
    cause: error,
  })
}

/** An address as it may be shown: the user, the host and the database. */
export function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return '(not an address)'
  const { protocol, username, host, pathname } = new URL(url)
  return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`
}
