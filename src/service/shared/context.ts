import type * as z from 'zod'
import type { Actor } from '../../contract/base/common.ts'
import type { TokenKind } from '../../contract/products.ts'
import type { Scope } from '../../contract/base/endpoint.ts'
import type { Contract, EndpointName, InputOf, ResponseOf } from '../../contract/index.ts'
import type { Database } from '../sql/database.ts'
import type { EventSymbolicator } from './event-symbolicator.ts'
import type { TextReply } from './text-reply.ts'

/** The caller: the token and the person it belongs to. */
export interface Principal {
  userId: string
  displayName: string
  tokenId: string
  tokenName: string
  tokenKind: z.output<typeof TokenKind>
  scopes: ReadonlySet<Scope>
  /** Workspaces the person is a member of; everything else is "not found". */
  workspaceIds: readonly string[]
}

/** The clock and the source of ids, passed in so that tests control both. */
export interface Platform {
  /** Epoch milliseconds. */
  now(): number
  /** UUIDv7: sorts by creation. */
  newId(): string
}

/** The context that every handler gets in addition to its input. */
export interface Call extends Platform {
  db: Database
  symbolicator: EventSymbolicator
  principal: Principal
  actor: z.input<typeof Actor>
  /** `mcp` when an MCP server made the request for a tool, else empty (contract §0.8). */
  via: '' | 'mcp'
  /** An agent acts: its own token, or a person's that a tool uses. What agents may not do tests this. */
  byAgent: boolean
  /** Name of the endpoint in the contract. */
  endpoint: EndpointName
  /** Scheme, host and port the caller used, for absolute addresses (`https://host:4319`). */
  origin: string
  /** Full validation and response, nothing written (contract §0.6). */
  validateOnly: boolean
  /**
   * Told the times (epoch milliseconds) at which the answer becomes another one though nothing is written, where the answer
   * may be remembered.
   */
  changesAt?: (time: number) => void
}

/** What a write needs of its call: who acts, on which way, when, and new ids. */
export type Writing = Pick<Call, 'actor' | 'byAgent' | 'via' | 'now' | 'newId'>

export type Handler<N extends EndpointName> = (input: InputOf<N>, call: Call) => Promise<ResponseOf<N> | TextReply>

/**
 * A handler of a stream. Resolves to the function that opens it, or to undefined when nothing can follow the caller's
 * place. The items end when the signal aborts: the reader has left, or the service closes.
 */
export type StreamHandler<N extends EndpointName> = (
  input: InputOf<N>,
  call: Call,
) => Promise<((signal: AbortSignal) => AsyncGenerator<ResponseOf<N>, void>) | undefined>

export type Handlers<N extends EndpointName> = {
  readonly [K in N]: Contract[K]['stream'] extends object ? StreamHandler<K> : Handler<K>
}
