import type { Api, CallOptions } from './api.ts'
import type { Budget } from './budget.ts'
import type { Upload } from './upload.ts'
import { lazyMembers } from '../lib/lazy-members.ts'

type Method = (request: unknown, options?: CallOptions) => unknown

/** The same client for one tool call: each request ends with the call's budget, and is repeated only while it lasts. */
export function boundApi(api: Api, budget: Budget): Api {
  const methods = api as unknown as Readonly<Record<string, Method>>
  const bind =
    (name: string): Method =>
    (request, { signal = budget.signal } = {}) =>
      methods[name]?.(request, { signal, budget })
  return lazyMembers(api, bind) as unknown as Api
}

/** The same for uploads; undefined where there are none. */
export function boundUpload(upload: Upload | undefined, budget: Budget): Upload | undefined {
  return upload && ((target, body, options) => upload(target, body, { ...options, budget }))
}
