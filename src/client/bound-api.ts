import type { Api, CallOptions } from './api.ts'
import type { Budget } from './budget.ts'
import type { Upload } from './upload.ts'

type Method = (request: unknown, options?: CallOptions) => unknown

/** The same client for one tool call: each request ends with the call's budget, and is repeated only while it lasts. */
export function boundApi(api: Api, budget: Budget): Api {
  const methods = Object.entries(api as unknown as Record<string, Method>)
  const bound = methods.map(([name, call]): [string, Method] => [
    name,
    (request, { signal = budget.signal } = {}) => call(request, { signal, budget }),
  ])
  return Object.fromEntries(bound) as unknown as Api
}

/** The same for uploads; undefined where there are none. */
export function boundUpload(upload: Upload | undefined, budget: Budget): Upload | undefined {
  return upload && ((target, body, options) => upload(target, body, { ...options, budget }))
}
