import type * as z from 'zod'
import type { Api } from '../../client/api.ts'
import type { toolsets } from '../../config-variables.ts'
import type { LocalFiles } from '../files/local-files.ts'
import type { Answer, Cut } from '../result/answer.ts'
import type { Resolver } from '../resolve/types.ts'
import type { SendEvent } from '../../client/send-event.ts'
import type { Upload } from '../../client/upload.ts'

/** What a tool does to the world; every annotation and the usual confirmation level follow from it. */
export type Effect = 'read' | 'create' | 'update' | 'delete' | 'decide'

/** Confirmation level of mcp §7.1. */
export type Level = 0 | 1 | 2 | 3 | 4

interface EffectFacts {
  level: Level
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean }
}

const hints = (readOnlyHint: boolean, destructiveHint: boolean, idempotentHint: boolean) => ({
  readOnlyHint,
  destructiveHint,
  idempotentHint,
  // Tools reach one configured service and nothing else.
  openWorldHint: false,
})

export const effects: Readonly<Record<Effect, EffectFacts>> = {
  read: { level: 0, annotations: hints(true, false, true) },
  create: { level: 1, annotations: hints(false, false, false) },
  update: { level: 1, annotations: hints(false, false, true) },
  delete: { level: 3, annotations: hints(false, true, true) },
  decide: { level: 4, annotations: hints(false, true, false) },
}

export type Toolset = (typeof toolsets)[number]

/** What the operator allows and a caller may narrow. */
export interface SurfaceOptions {
  /** Names of toolsets, or `all`. */
  toolsets: readonly string[]
  readOnly: boolean
  /** Pins one product, by id or exact name. */
  product?: string | undefined
  /** Whether tools may read files of this machine inside the allowed roots: over stdio only (mcp §8.3). */
  local?: boolean | undefined
}

/** How a person confirmed a call (mcp §7.2). */
export type Way = 'form' | 'handle' | 'page' | 'terminal'

/** What a person is asked before a call above level 1 runs. Facts of the service only: never text of events or reports. */
export interface Question {
  /** One line: what is decided, in canonical words. */
  asks: string
  product?: { id: string; name?: string | undefined } | undefined
  /** What changes, and whatever the decision rests on. Of a long value 500 characters are shown, unless it says more. */
  facts: readonly { label: string; value: string; characters?: number }[]
  /** What the person types at level 3 and 4: a key such as REQ-12, a name, a blocker. */
  key: string
  /** How to take it back; empty if that is not possible. */
  undo: string
  /** An etag or digest that changes whenever what was shown changes. */
  state: string
}

export interface Confirmed {
  way: Way
  /** Single use: the `request_id` of the write, where its endpoint takes one. */
  nonce: string
}

/** What a tool gets in addition to its arguments. */
export interface Context {
  api: Api
  options: SurfaceOptions
  /** Names to ids, for this call only. */
  resolve: Resolver
  signal: AbortSignal
  /** For waiting within the call: aborts after the time, but early enough for reads and an answer, and with `signal`. */
  wait(this: void, ms: number): AbortSignal
  /** Is the tool in this caller's list? */
  offers: (tool: string) => boolean
  /** Differs when the names of the caller's tools and of their parameters do. */
  surfaceDigest: string
  /** Files inside the allowed roots; undefined where the caller is not on this machine. */
  local: LocalFiles | undefined
  /** Sends bytes to a presigned address; undefined where the caller is not on this machine. */
  upload: Upload | undefined
  /** Sends an event to the ingest that a DSN names; undefined where the server has no way out. */
  sendEvent: SendEvent | undefined
  /**
   * Called with the ids of what is about to be changed, before anything is written; throws when that is a wide change
   * which no person has confirmed (mcp §7.1).
   */
  countChanges(ids: readonly string[]): void
  /**
   * Called before anything is written, where what the tool has read makes this a call of level 2; throws unless a person
   * has confirmed it. `why` is the first sentence of the refusal.
   */
  requirePerson(why: string): void
  /** By which way a person confirmed this call; undefined where none was asked. */
  confirmed: Confirmed | undefined
  /**
   * Prepares a call of another tool that a person decides, and returns where: the address of a page, else the command for a
   * terminal; undefined for a tool that asks nothing.
   */
  decidedAt<I extends z.ZodObject>(tool: Pick<Tool<I>, 'name'>, args: z.output<I>): Promise<string | undefined>
  /** The address of the gate's page for a scope; undefined where no person can open one. */
  gatePage(scope: Readonly<Record<string, string>>): Promise<string | undefined>
  /** Reports progress to a caller that asked for it; `done` grows. */
  progress(report: { done: number; total: number | undefined; message: string }): void
}

/** The state of what a call started, read with the rights of the caller. */
export type TaskReading<O extends z.ZodObject = z.ZodObject> = {
  /** ISO 8601. */
  createdAt: string
  /** ISO 8601: the last change that is known. */
  updatedAt: string
  /** The state in words; never text of outsiders. */
  message?: string | undefined
} & (
  | { status: 'working' | 'cancelled' }
  /** `answer` reads the result; `isError` is true for a failure. */
  | { status: 'completed'; answer(this: void): Promise<Answer<z.input<O>>>; isError: boolean }
)

/** How what a call starts is offered as a task to clients that declare the tasks extension (mcp §10.1). */
export interface ToolTask<O extends z.ZodObject = z.ZodObject> {
  /** How often a client should ask for the state, in milliseconds. */
  pollIntervalMs: number
  /** How long after its creation the task can be read at least, in milliseconds. */
  ttlMs: number
  /** The id of what the call started, which is the task's id; undefined when it started nothing. */
  started(answer: Answer<z.input<O>>): string | undefined
  /** Reads the state. Rejects with `not_found` for what the caller may not read or is not in the pinned product. */
  read(id: string, context: Context): Promise<TaskReading<O>>
  /** Cancels it; called only after `read` returned `working`. Does nothing if it has ended since. */
  cancel(id: string, context: Context): Promise<void>
}

export interface Tool<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  name: string
  toolset: Toolset
  effect: Effect
  /** Only where the call departs from the effect's usual level. */
  level?(args: z.output<I>): Level
  /** For a call above level 1: how to do it without a person's confirmation. */
  unconfirmed?: string
  /**
   * Runs before a person is asked. Returns the answer of a call that is not ready to be confirmed, which says what it
   * lacks; undefined where the person can be asked. It writes nothing.
   */
  lacks?(args: z.output<I>, context: Context): Promise<Answer<z.input<O>> | undefined>
  /**
   * Reads what a person has to confirm: required of a tool whose calls can be above level 1. It writes nothing, and is
   * called again before the confirmed call runs, to compare the state.
   */
  confirm?(args: z.output<I>, context: Context): Promise<Question>
  /** The only ways in which a call of this tool can be confirmed; no setting adds another. */
  ways?: readonly Way[]
  /** Reads files of this machine: listed over stdio only (mcp §8.3). */
  local?: true
  title: string
  /** A sentence that names a tool absent from the caller's list is left out there. */
  description: string
  input: I
  /** The envelope's `data`. */
  output: O
  /** What to shorten when a result is too big, in this order; then everything else. */
  cuts?: readonly Cut[]
  /** For a tool that starts something which goes on after the call. */
  task?: ToolTask<NoInfer<O>>
  run(args: z.output<I>, context: Context): Promise<Answer<z.input<O>>>
}

/** Returns its argument; the types make `run` answer what `output` says. */
export function defineTool<I extends z.ZodObject, O extends z.ZodObject>(tool: Tool<I, O>): Tool<I, O> {
  return tool
}

export interface Resource {
  name: string
  uri: string
  title: string
  description: string
  mimeType: string
  /** Lines that name a tool absent from the caller's list are left out. */
  text: string
  /** Under which name the document also is a skill, and what agents read to choose it. */
  skill?: { name: string; description: string }
}

/** Returns its argument. */
export function defineResource(resource: Resource): Resource {
  return resource
}

/** The extension of the protocol that a server with views declares. */
export const UI_EXTENSION = 'io.modelcontextprotocol/ui'

/** A picture of the results of some tools, for hosts that show MCP Apps (mcp §10). */
export interface View {
  name: string
  /** Begins with `ui://`. */
  uri: string
  title: string
  description: string
  /** The tools whose results it draws. */
  tools: readonly string[]
  /** Whether it asks the host that it may write to the clipboard. */
  copies?: true
  /** One file that loads nothing else, for a caller with these tools; read when a host asks for it. */
  html(this: void, offers: (tool: string) => boolean): string
}

/** Returns its argument. */
export function defineView(view: View): View {
  return view
}

/** What reads outside of a tool call are made with. */
export type ReadContext = Pick<Context, 'api' | 'resolve' | 'signal'>

/** What a suggestion is made from. */
export interface SuggestContext extends ReadContext {
  /** What the caller has filled in so far, by variable or argument. */
  given: Readonly<Record<string, string>>
}

/** Values that begin with what is typed; at most 100 of them are sent, and none when it fails. */
export type Suggest = (typed: string, context: SuggestContext) => Promise<readonly string[]>

/**
 * A tool's result under an address: what a reader gets is the text form of the call, so that fences, budgets, the pinned
 * product and errors are the tool's own.
 */
export interface ResourceTemplate {
  name: string
  /** Plain `{variables}`, each one whole segment. */
  uriTemplate: string
  title: string
  description: string
  /** Whose result it is; without this read tool in the list the template is not there. */
  tool: string
  /** The arguments of the call, by the variables of the address. */
  args(this: void, variables: Readonly<Record<string, string>>): Readonly<Record<string, unknown>>
  /** By variable. */
  suggest: Readonly<Record<string, Suggest>>
  /** Reads what callers who subscribe to the address hear changes of (mcp §9.1). */
  watch?(this: void, variables: Readonly<Record<string, string>>, context: ReadContext): Promise<WatchedState>
}

/** A state that is compared with the next one. */
export interface WatchedState {
  /**
   * Changes whenever what the address shows does, and not with its age: plain data in a fixed order, without text of
   * outsiders.
   */
  value: unknown
  /** It will change soon, so it is read more often (decision 068). */
  isMoving?: boolean
}

/** Returns its argument. */
export function defineResourceTemplate(template: ResourceTemplate): ResourceTemplate {
  return template
}

/** Prompt arguments are strings in the protocol. */
export type PromptArguments = Readonly<Record<string, z.ZodString | z.ZodOptional<z.ZodString>>>

export interface Prompt<A extends PromptArguments = PromptArguments> {
  name: string
  title: string
  description: string
  args: A
  suggest: { readonly [K in keyof A]?: Suggest }
  /** Tools the text walks through; without one of them in the list the prompt is not there. */
  tools: readonly string[]
  /** When an agent should do this by itself, in a sentence: a skill says it behind the description. */
  when: string
  /** What is asked for, line by line: constant words and the arguments' ids; never event text. */
  task(this: void, args: { readonly [K in keyof A]: z.output<A[K]> }): readonly string[]
  /** Each is left out where it names a tool that is not offered. */
  steps: readonly string[]
  /** What to say where this tool is not offered. */
  without?: { tool: string; say: string }
}

/** Returns its argument. */
export function definePrompt<const A extends PromptArguments>(prompt: Prompt<A>): Prompt<A> {
  return prompt
}
