import { failures, NOT_FROM_SERVICE, type FailureCode, type ServiceError } from '../../errors.ts'
import { clean } from '../../lib/outside-text/clean.ts'
import { TeachingError } from '../../mcp/result/teach.ts'
import type { Html } from '../support/html.ts'
import { note } from '../support/layout.ts'
import { plainMessage } from '../support/plain-words.ts'

const operator = 'If that does not help, tell the operator of this server.'

const byCode: Partial<Record<FailureCode, string>> = {
  unauthenticated:
    'Check that it was copied whole, has not expired and is one of this service. Whoever runs the service makes tokens with tracegate admin token add.',
  permission_denied: 'Sign in with a token of your own that may read this product.',
  resource_exhausted: 'Wait a minute, then load the page again.',
  invalid_argument: 'Correct the address, or begin again below.',
  not_found: 'Check the address, or begin again below.',
  unimplemented: 'The other pages may still show something.',
  internal: `Load the page again. ${operator}`,
  upstream_shape_unknown: operator,
  misconfigured: operator.replace('If that does not help, tell', 'Tell'),
}

/** Why a page is not shown, or nobody is signed in, and what the reader can do. */
export function refusedNote(what: 'Not shown' | 'Not signed in', error: ServiceError): Html {
  return note('bad', `${what}: ${plainMessage(error)}.`, nextStep(error))
}

function nextStep(error: ServiceError): string | undefined {
  const { code, reason } = error
  const { sent, expected } = error instanceof TeachingError ? error.lesson : {}
  if (sent !== undefined && expected !== undefined) return clean(`You asked for ${sent}. Expected: ${expected}.`)
  if (reason === NOT_FROM_SERVICE) return byCode.misconfigured
  return (
    byCode[code] ?? (failures[code].repeat === 'later' ? `Load the page again in a moment. ${operator}` : undefined)
  )
}
