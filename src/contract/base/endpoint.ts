import * as z from 'zod'
import type { FailureCode } from '../../errors.ts'
import { Hash } from './common.ts'

/** Whether the client may retry without knowing the outcome of the first attempt (contract §0.6). */
export type Retry = 'read' | 'idempotent' | 'never'

/** Token scopes of contract §0.5. Every token has `read`. */
export const scopes = ['read', 'write', 'gate:accept', 'gate:approve', 'agents:run', 'admin'] as const
export type Scope = (typeof scopes)[number]

/**
 * A response that is a sequence of `returns` objects, as lines of JSON or as server-sent events. Items are numbered
 * without gaps, so that a reader whose connection was cut can continue after the last number that it received.
 */
export interface StreamFacts {
  /** The member of `returns` that holds an item. */
  readonly member: string
  /** The member of an item that holds its number. */
  readonly number: string
  /** The query parameter with the last number that the reader received. */
  readonly resume: string
  /** The query parameter with the seconds of silence after which an empty line is sent. */
  readonly heartbeat: string
  /** The member of an item, and its value, that identify the last item. */
  readonly last: { readonly member: string; readonly value: string }
  /** The name of an item as a server-sent event. */
  readonly eventName: string
  /**
   * Sent instead of items that are no longer stored or never existed: the member of `returns`, which is also the name of the
   * server-sent event, and its members with the numbers of the first stored item (0 without one) and of the newest item.
   */
  readonly resync: { readonly member: string; readonly first: string; readonly last: string }
}

/**
 * The number that a reader continues after when it has received a resync: the one before the first item that is stored, or
 * the newest one if none is.
 */
export function placeAfterResync<Last>(first: unknown, last: Last): number | Last {
  return typeof first === 'number' && first > 0 ? first - 1 : last
}

/** One endpoint as data: client, router, OpenAPI and docs are folds over these (contributing "One contract table"). */
export interface Endpoint<
  I extends z.ZodRawShape = z.ZodRawShape,
  R extends z.ZodRawShape = z.ZodRawShape,
  S extends StreamFacts | undefined = StreamFacts | undefined,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Path template of the specification, parameters in braces. */
  readonly path: `/v1/${string}`
  readonly summary: string
  /** Path parameters, query (GET, DELETE) or body (POST, PUT), in one object. */
  readonly input: z.ZodObject<I>
  /** The whole response object; its first member is the main one. */
  readonly returns: z.ZodObject<R>
  readonly retry: Retry
  /** Failures in addition to those of every endpoint (401, 403, 429, 5xx). */
  readonly fails: readonly FailureCode[]
  /** The endpoint's own reasons for those failures (contract §0.4), in upper case. */
  readonly reasons: readonly string[]
  readonly scope: Scope
  readonly bodyLimitBytes: number
  /** Set if the body itself may be the value of a nested member. */
  readonly rawBody: RawBody | undefined
  /** Set if the response is a sequence of `returns` objects. */
  readonly stream: S
  /** Content types other than JSON that the response may have, by the value of the query parameter `format`. */
  readonly formats: Readonly<Record<string, string>>
  /** Query parameters that the specification names; a foreign deployment may not know any other one. */
  readonly specified: readonly string[]
}

/**
 * A body that is not a JSON object of the endpoint's own members is the value of `member` in `object`; the members of the
 * objects in `query` are then passed in the query, as in `run.environment`.
 */
export interface RawBody {
  readonly object: string
  readonly member: string
  readonly query: readonly string[]
  /** Documented content types in addition to JSON; other types are read in the same way. */
  readonly types: readonly string[]
}

interface EndpointFacts<I extends z.ZodRawShape, R extends z.ZodRawShape, S extends StreamFacts | undefined> {
  method: Endpoint['method']
  path: Endpoint['path']
  summary: string
  input?: I
  returns?: R
  retry?: Retry
  fails?: readonly FailureCode[]
  reasons?: readonly string[]
  scope?: Scope
  bodyLimitBytes?: number
  rawBody?: RawBody
  stream?: S
  formats?: Readonly<Record<string, string>>
  specified?: readonly (keyof I & string)[]
}

export const MIB = 1024 * 1024

/**
 * Completes the facts of one endpoint: GET reads; PUT and DELETE are idempotent; a POST is retried only if its entry says
 * so; every write requires the scope `write` unless its entry names another one (contract §0.5, §0.6).
 */
export function endpoint<
  const I extends z.ZodRawShape = {},
  const R extends z.ZodRawShape = {},
  const S extends StreamFacts | undefined = undefined,
>(facts: EndpointFacts<I, R, S>): Endpoint<I, R, S> {
  const reads = facts.method === 'GET'
  return {
    method: facts.method,
    path: facts.path,
    summary: facts.summary,
    input: z.object(facts.input ?? ({} as I)),
    returns: z.object(facts.returns ?? ({} as R)),
    retry: facts.retry ?? (reads ? 'read' : facts.method === 'POST' ? 'never' : 'idempotent'),
    fails: facts.fails ?? [],
    reasons: facts.reasons ?? [],
    scope: facts.scope ?? (reads ? 'read' : 'write'),
    bodyLimitBytes: facts.bodyLimitBytes ?? 4 * MIB,
    rawBody: facts.rawBody,
    // Without the fact S is inferred as undefined.
    stream: facts.stream as S,
    formats: facts.formats ?? {},
    specified: [
      ...(facts.specified ?? []),
      ...(facts.input !== undefined && 'page_token' in facts.input ? ['page_token'] : []),
    ],
  }
}

/** The names in braces of a path template, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
}

/** `total_size` is exact, or -1 where counting is expensive (contract §0.3). */
export const Pagination = z.object({ next_page_token: Hash, page_size: z.int(), total_size: z.int() })

/** Response members of every paged response; the token is empty on the last page. */
export const pagingResult = { next_page_token: Hash, pagination: Pagination }

/** Query members of every list (contract §0.3); the router also reads `pagination.page_token` and `pagination.page_size`. */
export const paging = {
  page_size: z.int().min(1).optional().describe('Rows per page, default 50, at most 200; larger values are clamped.'),
  page_token: z.string().optional().describe('next_page_token of the previous page; bound to the other parameters.'),
}

/** Response members of a list: one array named for the resource, and the token of the next page in both places. */
export function list<K extends string, S extends z.ZodType>(member: K, item: S) {
  const rows = { [member]: z.array(item) } as unknown as { [P in K]: z.ZodArray<S> }
  return { ...rows, ...pagingResult }
}
