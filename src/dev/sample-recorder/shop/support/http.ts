import { DeadlineError, ShopError } from './errors.ts'

/** A partner service answered with an error status. */
export class HttpError extends ShopError {
  override readonly name = 'HttpError'
  override readonly status = 502
}

/** GET a JSON document of a partner service. */
export async function getJson(url: string): Promise<unknown> {
  const response = await fetch(url, { headers: { accept: 'application/json' } })
  if (!response.ok) throw new HttpError(`${new URL(url).pathname} answered ${response.status}`)
  return response.json()
}

/** POST a JSON document to a partner service; the caller reads the answer. */
export function postJson(url: string, body: object): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
}

/** The work, or a DeadlineError when it takes longer than `ms`. */
export function within<Result>(ms: number, what: string, work: Promise<Result>): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  const timer = setTimeout(() => reject(new DeadlineError(`${what} took longer than ${ms} ms`)), ms)
  work.then(resolve, reject).finally(() => clearTimeout(timer))
  return promise
}
