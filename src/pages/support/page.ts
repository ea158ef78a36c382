import type { WireReply } from '../../contract/base/wire.ts'

/** A request to one page. */
export interface PageRequest {
  /** Absolute, as the browser asked for it. */
  url: URL
  /** The header `Cookie`, for pages with a session. */
  cookies?: string | undefined
  /** The header `Accept`. */
  accept?: string | undefined
  signal?: AbortSignal | undefined
}

/** A form that one of our own pages sent. */
export interface FormRequest extends PageRequest {
  form: URLSearchParams
}

/** One page. A refusal that a person can act on is a page too; what is thrown is a bug or a `ServiceError`. */
export interface Page {
  /** The first segment of its path: `confirm` is `/confirm`; empty for `/`. */
  name: string
  get(request: PageRequest): Promise<WireReply> | WireReply
  /** Called only for forms that one of our own pages sent. */
  post?(request: FormRequest): Promise<WireReply> | WireReply
}
