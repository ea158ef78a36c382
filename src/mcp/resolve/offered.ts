import { isEndpointMissing, ServiceError } from '../../errors.ts'

/**
 * Whether a request failed because this deployment has no such endpoint. Only for a request about a thing that has been
 * read: a gateway answers an unknown path and a missing thing with the same 404 without a reason (decision 051).
 */
export function isNotOffered(error: unknown): boolean {
  if (isEndpointMissing(error)) return true
  return error instanceof ServiceError && error.code === 'not_found' && error.reason === 'NOT_FOUND'
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
