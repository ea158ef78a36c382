import type * as z from 'zod'
import type { Call } from '../shared/context.ts'
import type { Prepare, Rows } from '../sql/database.ts'
import type { StoredProduct } from '../workspace/products.ts'

/** The data of an event. */
export type EventData = Readonly<Record<string, unknown>>

/** How far a run is, as its PROGRESS events and its `progress` show it. */
export interface Progress {
  /** What it is working on, such as `issues`. */
  phase: string
  done: number
  /** 0 if it is not known. */
  total: number
}

/** What a run of an agent has to work with. */
export interface AgentContext {
  readonly product: StoredProduct
  /** For reading the last committed state. */
  readonly rows: Rows
  /** Acts as an agent, with the rights of the token that started the run. */
  readonly call: Omit<Call, 'db'>
  /** Epoch milliseconds at which the run started. Windows of time end here, so that equal data gives equal output. */
  readonly now: number
  /** The output of the config's last run that succeeded, to tell what has changed since; null if there is none. */
  readonly previous: unknown
  /**
   * Reports progress, lets the rest of the process run, and ends the run here when it was cancelled or has lasted too
   * long, as the functions below do. Called at least once for every 200 ms of work. A PROGRESS event is written at the
   * first call of a phase and for each tenth of `total` (every 100th item without one).
   */
  progress(this: void, progress: Progress): Promise<void>
  /** Writes a LOG event. */
  log(this: void, message: string, data?: EventData): Promise<void>
  /** Writes a WARNING event: something that limits what the output shows. */
  warn(this: void, message: string, data?: EventData): Promise<void>
  /** Writes a FINDING event: one thing to look at; `data` has its ids. At most 200 in a run. */
  finding(this: void, message: string, data?: EventData): Promise<void>
}

/** What a run ends with. */
export interface AgentResult<O extends z.ZodObject = z.ZodObject> {
  /** What was found, and what to do next. It is cut off after 500 characters. */
  summary: string
  /** At most `OUTPUT_BYTES`: `keepFitting` bounds its lists. */
  output: z.input<O>
  /** The quality branch that the run drafted on. */
  branchId?: string | undefined
  /** What was left out of the output (`createTruncationNotes`). */
  truncationSignals?: string[] | undefined
}

/** The transaction in which a run that writes is finished. */
export interface AgentWrite {
  readonly rows: Rows
  readonly prepare: Prepare
  /** Writes an ACTION event: what the run changed. */
  action(this: void, message: string, data?: EventData): void
  /** Writes a FINDING event that only the written state shows. It counts among the 200 of the run. */
  finding(this: void, message: string, data?: EventData): void
}

/**
 * A run that only reads resolves to its result. A run that writes resolves to `commit`, which does all of the writing
 * in the transaction that also finishes the run, so that a cancelled run has written nothing.
 */
export type AgentEnd<O extends z.ZodObject = z.ZodObject> =
  | AgentResult<O>
  | { commit(this: void, write: AgentWrite): Promise<AgentResult<O>> }

/**
 * An agent type of contract §8 as data with one function. It is deterministic: equal data, input, `previous` and `now`
 * give an equal output.
 */
export interface AgentDefinition<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  readonly id: string
  readonly title: string
  readonly description: string
  /** Semantic version of the output and its meaning. */
  readonly version: string
  /** The resources that it reads, such as `requirements`. */
  readonly reads: readonly string[]
  /** The resources that it may write; empty for an agent that only reads. */
  readonly writes: readonly string[]
  /** A strict object, each member with a description, and with a default where there is a usual value. */
  readonly input: I
  readonly output: O
  run(this: void, context: AgentContext, input: z.output<I>): Promise<AgentEnd<O>>
}

/** Types a definition by its schemas. */
export function defineAgent<I extends z.ZodObject, O extends z.ZodObject>(
  definition: AgentDefinition<I, O>,
): AgentDefinition<I, O> {
  return definition
}
