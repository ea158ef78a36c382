/** The shop's API said no. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number

  constructor(path: string, status: number, reason: string) {
    super(`${path} answered ${status}: ${reason}`)
    this.status = status
  }
}

/** GET from the shop's API. */
export function read<Result>(path: string): Promise<Result> {
  return call(path, {})
}

/** POST to the shop's API. */
export function write<Result>(path: string, body: object): Promise<Result> {
  return call(path, { method: 'POST', body: JSON.stringify(body) })
}

async function call<Result>(path: string, init: RequestInit): Promise<Result> {
  const response = await fetch(path, { ...init, headers: { 'content-type': 'application/json' } })
  const answer = JSON.parse(await response.text()) as Result & { error?: string }
  if (!response.ok) throw new ApiError(path, response.status, answer.error ?? response.statusText)
  return answer
}
