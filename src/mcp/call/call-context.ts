import type { Api } from '../../client/api.ts'
import { boundApi, boundUpload } from '../../client/bound-api.ts'
import type { Budget } from '../../client/budget.ts'
import type { SendEvent } from '../../client/send-event.ts'
import type { Upload } from '../../client/upload.ts'
import type { Confirmed, Context, SurfaceOptions, Tool } from '../define/define.ts'
import type { LocalFiles } from '../files/local-files.ts'
import { createResolver } from '../resolve/index.ts'
import type { SeenWorkspaces } from '../resolve/seen-workspaces.ts'
import type { Resolver } from '../resolve/types.ts'
import type { Listing } from '../surface/listing.ts'
import { countChanges, type Changing } from './count-changes.ts'
import { NeedsPerson } from './needs-person.ts'

/** Prepares a call of another tool in the same context, and returns where a person decides it. */
export type DecidedAt = (
  other: Tool,
  args: Readonly<Record<string, unknown>>,
  context: CallContext,
) => Promise<string | undefined>

/** What the contexts of all calls of a server share. */
export interface ContextFacts {
  options: SurfaceOptions
  /** Whose calls these are, and what was changed lately. */
  changing: Changing
  /** The workspaces of the caller's last list. */
  seen?: SeenWorkspaces
  /** The address of the gate's page for a scope (`product`, `release`, …), where people can open it. */
  gatePage?: (scope: Readonly<Record<string, string>>) => Promise<string | undefined>
  /** Files inside the allowed roots; only if the caller is on this machine. */
  local?: LocalFiles
  /** Sends bytes to a presigned address; only if the caller is on this machine. */
  upload?: Upload
  /** Sends an event to the ingest that a DSN names. */
  sendEvent?: SendEvent
}

interface Given {
  tool: Tool
  listing: Listing
  facts: ContextFacts
  budget: Budget
  progress: Context['progress'] | undefined
  api: Api
  decidedAt: DecidedAt
}

/**
 * What a tool gets of one call. It is a class because what is made when it is first read has getters: an object with
 * getters of its own would keep its whole call in memory until the old generation is collected (decision 034).
 */
export class CallContext implements Context {
  readonly options: Context['options']
  readonly offers: Context['offers']
  readonly surfaceDigest: string
  readonly progress: Context['progress']
  readonly confirmed: Confirmed | undefined
  readonly #given: Given
  #api: Api | undefined
  #resolver: Resolver | undefined

  constructor(given: Given, confirmed?: Confirmed) {
    this.#given = given
    this.options = given.facts.options
    this.offers = given.listing.offers
    this.surfaceDigest = given.listing.digest
    this.progress = given.progress ?? noProgress
    this.confirmed = confirmed
  }

  // All are made when they are first read: a short call needs none.
  get api(): Api {
    const { api, budget } = this.#given
    return (this.#api ??= boundApi(api, budget))
  }

  get resolve(): Resolver {
    const { facts, budget } = this.#given
    return (this.#resolver ??= createResolver({
      api: this.api,
      pinned: facts.options.product,
      signal: budget.signal,
      seen: facts.seen,
    }))
  }

  get signal(): AbortSignal {
    return this.#given.budget.signal
  }

  get wait(): Context['wait'] {
    return (ms) => this.#given.budget.part(ms)
  }

  get local(): Context['local'] {
    return this.#given.facts.local
  }

  get upload(): Context['upload'] {
    return boundUpload(this.#given.facts.upload, this.#given.budget)
  }

  get sendEvent(): Context['sendEvent'] {
    return this.#given.facts.sendEvent
  }

  // A person who confirmed has seen what the call does, and how many things it changes.
  get countChanges(): Context['countChanges'] {
    const { tool, facts } = this.#given
    return this.confirmed === undefined ? (ids) => countChanges(tool, ids, facts.changing) : () => {}
  }

  get requirePerson(): Context['requirePerson'] {
    return this.confirmed === undefined ? needsPerson : () => {}
  }

  get gatePage(): Context['gatePage'] {
    return async (scope) => this.#given.facts.gatePage?.(scope)
  }

  get decidedAt(): Context['decidedAt'] {
    return (other, args) => this.#given.decidedAt(other as Tool, args, this)
  }

  /** The context of the same call after a person has confirmed it, with the same names. */
  confirmedBy(confirmed: Confirmed): CallContext {
    const context = new CallContext(this.#given, confirmed)
    context.#resolver = this.resolve
    return context
  }
}

function noProgress(): void {}

function needsPerson(why: string): never {
  throw new NeedsPerson(why)
}
