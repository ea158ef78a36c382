import { ENDPOINT_MISSING, isEndpointMissing, ServiceError } from '../../errors.ts'
import { TeachingError, type Lesson } from '../result/teach.ts'

/**
 * Whether a request failed because this deployment has no such endpoint. Only for a request about a thing that has been
 * read: a gateway answers an unknown path and a missing thing with the same 404 without a reason (decision 051).
 */
export function isNotOffered(error: unknown): error is ServiceError {
  // A TeachingError has been explained already.
  if (!(error instanceof ServiceError) || error instanceof TeachingError) return false
  if (isEndpointMissing(error)) return true
  return error.code === 'not_found' && error.reason === 'NOT_FOUND'
}

/** The answer of a request about a thing that has been read; undefined where this deployment has no such endpoint. */
export async function ifOffered<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (isNotOffered(error)) return undefined
    throw error
  }
}

/** ` This deployment does not offer releases and components.`; empty where nothing is missing. */
export function notOfferedSentence(names: readonly (string | false | undefined)[]): string {
  const missing = names.filter(Boolean)
  return missing.length === 0 ? '' : ` This deployment does not offer ${missing.join(' and ')}.`
}

interface Substitute {
  /** What it was made from. */
  sources: readonly (string | false | undefined)[]
  notStated: readonly (string | false | undefined)[]
  /** The quality branch that was asked for. */
  branch: string | undefined
}

/**
 * ` This deployment does not offer fix contexts: this one is made from the issue; not stated: requirements.`: for an
 * answer that is put together from other reads (decision 051).
 */
export function madeFromSentence(what: string, { sources, notStated, branch }: Substitute): string {
  return (
    ` This deployment does not offer ${what}: this one is made from ${sources.filter(Boolean).join(', ')}; ` +
    `not stated: ${notStated.filter(Boolean).join(', ')}.` +
    (branch === undefined ? '' : ' branch is not applied.')
  )
}

/** For `catch`: explains that this deployment does not offer what was asked for; throws any other failure as it is. */
export function explainNotOffered(what: string, lesson: Lesson): (error: unknown) => never {
  return (error) => {
    throw isNotOffered(error) ? notOffered(what, lesson, error) : error
  }
}

/** The failure of a tool whose endpoint this deployment does not offer; the lesson says what still works. */
export function notOffered(what: string, lesson: Lesson, cause: ServiceError): TeachingError {
  const details = { reason: ENDPOINT_MISSING, cause }
  return new TeachingError('unimplemented', `this deployment does not offer ${what}`, lesson, details)
}
