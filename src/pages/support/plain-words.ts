import { NOT_FROM_SERVICE, type FailureCode, type ServiceError } from '../../errors.ts'

/** What the service refuses in the words of its requests, for people, who know none of them. */
const byCode: Partial<Record<FailureCode, string>> = {
  invalid_argument: 'the service does not accept what was asked for',
  unauthenticated: 'this token is not valid here',
  permission_denied: 'your token does not allow this',
  web_only: 'the deployment allows this only in its own web interface',
  not_found: 'what was asked for does not exist, or your token does not see it',
  failed_precondition: 'the present state does not allow this',
  already_exists: 'it exists already',
  aborted: 'it has changed meanwhile',
  payload_too_large: 'it is too large for the service',
  resource_exhausted: 'the service gets too many requests',
  unavailable: 'the service does not answer',
  deadline_exceeded: 'the service takes too long',
  outcome_unknown: 'the answer of the service was lost',
  unimplemented: 'this deployment does not offer it',
  misconfigured: 'the connection to the service is not set up correctly',
  internal: 'something broke in the service',
  upstream_shape_unknown: 'the answer of the service cannot be read',
}

const byReason: Readonly<Record<string, string>> = {
  [NOT_FROM_SERVICE]: 'a proxy or firewall in front of the service refused the request',
  SCOPE_MISSING: 'your token lacks the scope for this',
}

const byField: Readonly<Record<string, string>> = {
  commit_sha: 'the commit is not given as 7 to 64 digits and letters from a to f',
  git_branch: 'the name of the git branch is longer than 250 characters',
  page_token: 'this page of the list does not exist any more',
}

/** The message of a failure as a person reads it: without methods, paths, status codes and names of fields. */
export function plainMessage({ code, reason, message, violations }: ServiceError): string {
  if (!namesRequest(message)) return message
  const field = violations.map((violation) => byField[violation.field]).find((words) => words !== undefined)
  return field ?? byReason[reason] ?? byCode[code] ?? message
}

function namesRequest(message: string): boolean {
  return /\b(?:GET|POST|PUT|PATCH|DELETE) \//.test(message)
}
