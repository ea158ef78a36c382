import type { Endpoint } from '../../contract/base/endpoint.ts'
import { NOT_FROM_SERVICE, ServiceError, type FailureCode } from '../../errors.ts'
import { readCursor } from './cursor.ts'
import { namedParameters, without, type Ask, type Request } from './parameters.ts'

/** What deployments answer to a cursor that has expired or that another deployment made. */
const answers: ReadonlySet<FailureCode> = new Set([
  'invalid_argument',
  'not_found',
  'unimplemented',
  'aborted',
  'failed_precondition',
])

/**
 * Asks for pages, and finds out whether a refusal is about the cursor of the caller: deployments answer 400, 404, 409, 410 or
 * 412 to one that they do not know, often without naming it, which would pass for a refused filter, a missing product or a
 * missing endpoint. The same request without it tells. Throws `invalid_argument` for `page_token` if that one is answered.
 */
export function checkingCursor({ method, path }: Endpoint, { page_token: cursor }: Request, ask: Ask): Ask {
  const { token } = readCursor(cursor)
  if (token === undefined) return ask
  return async (request) => {
    try {
      return await ask(request)
    } catch (refusal) {
      if (request['page_token'] !== token || !isAnswer(refusal)) throw refusal
      const named = namedParameters(refusal, Object.keys(request))
      if (named.length > 0 ? !named.includes('page_token') : !(await isAnswered(request, ask))) throw refusal
      throw new ServiceError('invalid_argument', `${method} ${path} does not accept this page_token`, {
        reason: 'PAGE_TOKEN_MISMATCH',
        violations: [{ field: 'page_token', description: '' }],
        cause: refusal,
      })
    }
  }
}

function isAnswer(error: unknown): error is ServiceError {
  return error instanceof ServiceError && answers.has(error.code) && error.reason !== NOT_FROM_SERVICE
}

async function isAnswered(request: Request, ask: Ask): Promise<boolean> {
  try {
    await ask(without(request, ['page_token']))
    return true
  } catch (error) {
    // A call that was cancelled has no answer.
    if (error instanceof ServiceError) return false
    throw error
  }
}
