import type { Contract, EndpointName, RequestOf, ResultOf } from '../contract/index.ts'
import type { Untrusted } from '../contract/base/text.ts'

/**
 * What a caller gets from a deployment that may leave members out (contract §0.9): every member is optional, "the service
 * did not say", but the id of a thing, which the reader insists on.
 */
export type Told<T> =
  T extends Untrusted<unknown>
    ? T
    : T extends readonly (infer U)[]
      ? Told<U>[]
      : T extends object
        ? { [K in keyof T as IsId<K, T[K]> extends true ? K : never]: T[K] } & {
            [K in keyof T as IsId<K, T[K]> extends true ? never : K]?: Told<T[K]>
          }
        : T

/** An id that an outsider wrote, such as an application user's, may be missing like anything else. */
type IsId<K, V> = K extends 'id' ? (V extends string ? true : false) : false

/** The members that name what an answer of several members is about; a test keeps them in step with the table. */
type MainMembers =
  | 'user'
  | 'issue'
  | 'issues'
  | 'requirement'
  | 'test'
  | 'link_proposals'
  | 'branch'
  | 'component'
  | 'release'
  | 'risk'
  | 'traceability_matrix'
  | 'sourcemap'

type IsUnion<K, All = K> = K extends unknown ? ([All] extends [K] ? false : true) : never

/** A page has one array, which it is about. */
type IsPageOf<T, K extends keyof T> = T[K] extends readonly unknown[]
  ? 'next_page_token' extends keyof T
    ? true
    : false
  : false

/**
 * A page's array, the only member of an answer and the member an answer is about are always there: without them the
 * answer cannot be read. Where the contract allows null, nothing is promised, and nothing of the other members.
 */
export type Answered<T> = {
  [K in keyof T]: null extends T[K]
    ? Told<T[K]> | undefined
    : true extends
          | (K extends MainMembers ? true : false)
          | IsPageOf<T, K>
          | (true extends IsUnion<keyof T> ? false : true)
      ? Told<T[K]>
      : Told<T[K]> | undefined
}

export interface CallOptions {
  /** Cancels the call, its waiting for a repeat, or the stream. */
  signal?: AbortSignal
}

/** The typed client: one method per endpoint of the table. */
export type Api = {
  readonly [N in EndpointName]: Contract[N]['stream'] extends true
    ? (request: RequestOf<N>, options?: CallOptions) => AsyncIterable<Answered<ResultOf<N>>>
    : (request: RequestOf<N>, options?: CallOptions) => Promise<Answered<ResultOf<N>>>
}
