import type { Contract, EndpointName, RequestOf, ResultOf } from '../contract/index.ts'
import type { Untrusted } from '../contract/text.ts'

/**
 * What a caller gets from a deployment that may leave members out (CONTRACT §0.9): every member is optional, "the service
 * did not say", but the id of a thing, which the reader insists on.
 */
export type Told<T> =
  T extends Untrusted<unknown>
    ? T
    : T extends readonly (infer U)[]
      ? Told<U>[]
      : T extends object
        ? { [K in keyof T as K extends 'id' ? K : never]: T[K] } & { [K in keyof T as K extends 'id' ? never : K]?: Told<T[K]> }
        : T

/** A list's array and a single's main member are always there: without them the answer cannot be read. */
type MainMembers = 'user' | 'issue' | 'setup' | 'product' | 'environment' | 'release' | 'component' | 'stats' | 'event'
export type Answered<T> = { [K in keyof T]: K extends MainMembers ? Told<T[K]> : T[K] extends readonly unknown[] ? Told<T[K]> : Told<T[K]> | undefined }

export interface CallOptions {
  signal?: AbortSignal
}

/** The typed client: one method per endpoint of the table. */
export type Api = {
  readonly [N in EndpointName]: Contract[N]['stream'] extends true
    ? (request: RequestOf<N>, options?: CallOptions) => AsyncIterable<Answered<ResultOf<N>>>
    : (request: RequestOf<N>, options?: CallOptions) => Promise<Answered<ResultOf<N>>>
}
