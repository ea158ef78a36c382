import type { Contract, EndpointName, RequestOf, ResultOf } from '../contract/index.ts'
import type { Untrusted } from '../contract/base/text.ts'
import type { Budget } from './budget.ts'
import type { Reading } from './capabilities/reading.ts'

/**
 * A value as it is received from a deployment that may leave members out (contract §0.9): every member is optional, where
 * undefined means that the service did not say, except the id of an object, which the reader requires.
 */
export type Received<T> =
  T extends Untrusted<unknown>
    ? T
    : T extends readonly (infer U)[]
      ? Received<U>[]
      : T extends object
        ? { [K in keyof T as IsId<K, T[K]> extends true ? K : never]: T[K] } & {
            [K in keyof T as IsId<K, T[K]> extends true ? never : K]?: Received<T[K]>
          }
        : T

/** Ids that outsiders wrote, such as an application user's, may be missing like any other member. */
type IsId<K, V> = K extends 'id' ? (V extends string ? true : false) : false

/** The main member of a response with several members; a test keeps this list in step with the contract table. */
type MainMembers =
  | 'user'
  | 'issue'
  | 'issues'
  | 'events'
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

/** A page has one array, which is its main member. */
type IsPageOf<T, K extends keyof T> = T[K] extends readonly unknown[]
  ? 'next_page_token' extends keyof T
    ? true
    : false
  : false

/**
 * A response as it is received. The array of a page, the only member and the main member are always present: the reader
 * refuses a response without them. Members that may be null and all other members may be missing.
 */
export type ReceivedResult<T> = {
  [K in keyof T]: null extends T[K]
    ? Received<T[K]> | undefined
    : true extends
          | (K extends MainMembers ? true : false)
          | IsPageOf<T, K>
          | (true extends IsUnion<keyof T> ? false : true)
      ? Received<T[K]>
      : Received<T[K]> | undefined
}

/** An item of a stream: exactly one of the members. */
type ReceivedItem<T> = {
  [K in keyof T]-?: { [P in K]-?: Received<NonNullable<T[P]>> } & { [P in Exclude<keyof T, K>]?: undefined }
}[keyof T]

/** Pages of lists have their `reading`. */
type WithReading<T> = 'next_page_token' extends keyof T ? { reading: Reading } : unknown

export interface CallOptions {
  /** Cancels the call, its wait before a retry, or the stream. */
  signal?: AbortSignal
  /** The time of the tool call that the request belongs to; without it a request has only its own limits. */
  budget?: Budget
}

/** The typed client: one method per endpoint of the table. */
export type Api = {
  readonly [N in EndpointName]: Contract[N]['stream'] extends object
    ? (request: RequestOf<N>, options?: CallOptions) => AsyncGenerator<ReceivedItem<ResultOf<N>>, void>
    : (request: RequestOf<N>, options?: CallOptions) => Promise<ReceivedResult<ResultOf<N>> & WithReading<ResultOf<N>>>
}
