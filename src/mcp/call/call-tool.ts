import type { Api } from '../../client/api.ts'
import { boundApi } from '../../client/bound-api.ts'
import { Budget } from '../../client/budget.ts'
import { systemClock, type Clock } from '../../lib/clock.ts'
import { failures, ServiceError } from '../../errors.ts'
import { inToolWords, readArguments } from './arguments.ts'
import { CallContext, type ContextFacts, type DecidedAt } from './call-context.ts'
import { NeedsPerson } from './needs-person.ts'
import { askPerson, type Asked } from '../confirm/ask.ts'
import { UNCONFIRMED, type Asking } from '../confirm/asking.ts'
import { checkConfirmation, shownHasChanged, type Given } from '../confirm/check.ts'
import type { FormKind } from '../confirm/form.ts'
import type { ConfirmOptions } from '../confirm/options.ts'
import { effects, type Context, type Level, type Tool } from '../define/define.ts'
import type { ListedTool, Listing } from '../surface/listing.ts'
import type { Answer } from '../result/answer.ts'
import { asksForMore, moreCall } from '../result/more-call.ts'
import type { RepairKind } from './repair/notes.ts'
import { renderOutcome, type CallOutcome } from './outcome.ts'
import { waitProgress } from './wait-progress.ts'
import { whereDecided } from '../confirm/prepare.ts'
import { createResolver } from '../resolve/index.ts'
import { errorText, TeachingError } from '../result/teach.ts'
import { startedTask } from './started-task.ts'

/** The outcome of one tool call, for the log. */
export interface CallRecord {
  /** The tool, or the template of the address by which it was called. */
  tool: string
  /** `ok`, `cancelled`, or the error code that the agent received. */
  outcome: string
  durationMs: number
  /** Length of the text form. */
  characters: number
  /** How the arguments were repaired. */
  repairs: RepairKind[]
}

/** What all calls of a server share. */
export interface CallFacts extends ContextFacts {
  /** Opens the service or the network at the first call that needs it. */
  api: () => Api | Promise<Api>
  /** How a person confirms what an agent may not decide. */
  confirm: ConfirmOptions
  /** Receives every failure that is not a `ServiceError`; the agent does not see its details. */
  onBug?: (error: unknown, tool: string) => void
  /** Receives a record of every call for the log, without arguments and results (mcp §8.4). */
  onCall?: (record: CallRecord) => void
  /** What a call may take, in milliseconds; default 25 s. */
  callMs?: number
  clock?: Clock
}

/**
 * What a call may take (mcp §5): clients of MCP give up after 30 or 60 s, and then the agent learns nothing. Opening the
 * embedded service is not counted.
 */
const CALL_MS = 25_000

export interface CallFrame {
  listing: Listing
  facts: CallFacts
  signal: AbortSignal
  /** The name of the call in the log. */
  name: string
  /** Reports progress, if the caller asked for it. */
  progress?: Context['progress'] | undefined
  /** True if the arguments come from an address, which may contain the product even if one is pinned. */
  address?: boolean
  /** How the caller's client can ask its user. */
  form?: FormKind | undefined
  /** What the user answered, or confirmed elsewhere. */
  given?: Given | undefined
  /** True if the client accepts a task instead of a result. */
  startsTasks?: boolean
}

/** Runs one call with any arguments and logs it; never rejects. */
export function tryTool(listed: ListedTool, raw: unknown, frame: CallFrame): Promise<CallOutcome> {
  return logged(frame, (record) => withinBudget(frame, (running) => runTool(listed, raw, running, record)))
}

/** Runs other work as a call of the tool: with its context, its budget and a log record. It never rejects. */
export function tryWith(
  tool: Tool,
  frame: CallFrame,
  run: (context: Context) => Promise<CallOutcome>,
): Promise<CallOutcome> {
  return logged(frame, () =>
    withinBudget(frame, async (running) => run(createContext(tool, running, await startWithApi(running)))),
  )
}

async function logged(frame: CallFrame, run: (record: CallRecord) => Promise<CallOutcome>): Promise<CallOutcome> {
  const { listing, facts, name } = frame
  const started = performance.now()
  const record: CallRecord = { tool: name, outcome: 'ok', durationMs: 0, characters: 0, repairs: [] }
  const outcome = await run(record).catch((error: unknown): CallOutcome => {
    const cancelled = frame.signal.aborted
    if (!(error instanceof ServiceError) && !cancelled) facts.onBug?.(error, name)
    const code = error instanceof ServiceError ? error.code : 'internal'
    record.outcome = cancelled ? 'cancelled' : failures[code].agent
    const text = errorText(error, { offers: listing.offers, pinned: facts.options.product !== undefined })
    return { text, error, _meta: { 'tracegate/integrity': 'trusted' } }
  })
  const durationMs = Math.round(performance.now() - started)
  facts.onCall?.({ ...record, durationMs, characters: outcome.text.length })
  return outcome
}

async function withinBudget<T>(frame: CallFrame, run: (running: RunningCall) => Promise<T>): Promise<T> {
  const { callMs = CALL_MS, clock = systemClock } = frame.facts
  const waits = frame.progress && waitProgress(frame.progress, clock)
  const budget = new Budget({ totalMs: callMs, signal: frame.signal, clock, waits })
  try {
    return await budget.outcome(run({ ...frame, budget, progress: waits?.report }))
  } finally {
    budget.end()
    waits?.end()
  }
}

interface RunningCall extends CallFrame {
  budget: Budget
}

async function runTool(listed: ListedTool, raw: unknown, frame: RunningCall, record: CallRecord): Promise<CallOutcome> {
  const { tool, input } = listed
  const { listing, facts, budget, address = false } = frame
  const { offers } = listing
  const { product } = facts.options
  const pinned = product !== undefined
  const given = pinned ? await withoutPinned(raw, { facts, budget, address }) : raw
  const read = readArguments({ input, effect: tool.effect, pinned, product, offers }, given)
  record.repairs.push(...read.kinds)
  const { confirmation: handle, ...args } = read.args
  const context = createContext(tool, frame, await startWithApi(frame))
  const calling: Calling = { tool, args, context, handle, frame }
  const outcome = await confirmedAnswer(calling).catch((error: unknown) => {
    throw inToolWords(error, input, { args, offers })
  })
  if ('asked' in outcome) {
    record.outcome = 'asked'
    return { text: '', _meta: { 'tracegate/integrity': 'team' }, asked: outcome.asked }
  }
  const { answer } = outcome
  if (answer.adjusted !== undefined) record.repairs.push('looked_up')
  // In front: a filter that does not exist would otherwise look as if it were applied.
  const { ignored } = read
  const said = ignored === undefined ? answer.answer : `Not applied, no such parameter: ${ignored}. ${answer.answer}`
  const rendered = await renderOutcome(
    tool,
    { ...answer, answer: said },
    {
      offers,
      adjusted: [...read.adjusted, ...(answer.adjusted ?? [])],
      pinned,
      limits: {
        cuts: tool.cuts ?? [],
        wide: asksForMore(input, args),
        more: (cuts, rows) => moreCall({ name: tool.name, input }, args, cuts, rows),
      },
    },
  )
  const task = frame.startsTasks === true ? await startedTask(tool, answer, context) : undefined
  return { ...rendered, ...(task && { task }) }
}

function createContext(tool: Tool, frame: RunningCall, api: Api): CallContext {
  const { listing, facts, budget, progress } = frame
  const decidedAt: DecidedAt = (other, args, context) =>
    whereDecided(asking({ tool: other, args, context, handle: undefined, frame }))
  return new CallContext({ tool, listing, facts, budget, progress, api, decidedAt })
}

interface Calling extends Pick<Asking, 'tool' | 'args'> {
  context: CallContext
  /** The `confirmation` parameter. */
  handle: unknown
  frame: RunningCall
}

/** The tool's answer, or what a person has to be asked first (mcp §7). */
async function confirmedAnswer(
  calling: Calling,
): Promise<{ answer: Answer<Record<string, unknown>> } | { asked: Asked }> {
  const { tool, args, context, handle, frame } = calling
  const lacking = callLevel(tool, args) > UNCONFIRMED ? await tool.lacks?.(args, context) : undefined
  if (lacking !== undefined) return { answer: stillToSay(lacking, frame.given) }
  const given = frame.given ?? (typeof handle === 'string' ? { way: 'handle' as const, token: handle } : undefined)
  if (given !== undefined && args['dry_run'] !== true) {
    const confirmed = await checkConfirmation(asking(calling), given)
    // The person has seen what the call does, and how many things it changes.
    return { answer: await tool.run(args, context.confirmedBy(confirmed)) }
  }
  if (callLevel(tool, args) > UNCONFIRMED) return { asked: await askPerson(asking(calling)) }
  try {
    return { answer: await tool.run(args, context) }
  } catch (error) {
    if (!(error instanceof NeedsPerson)) throw error
    return { asked: await askPerson(asking(calling), error.message) }
  }
}

/** What a call lacks, as the agent's answer. On the page or in a terminal it would look like the outcome, so there it is thrown. */
function stillToSay<T extends Answer<Record<string, unknown>>>(lacking: T, given: Given | undefined): T {
  if (given?.way !== 'page' && given?.way !== 'terminal') return lacking
  throw shownHasChanged(lacking.answer)
}

/** A preview writes nothing, whatever it is a preview of. */
function callLevel(tool: Tool, args: Readonly<Record<string, unknown>>): Level {
  return args['dry_run'] === true ? 0 : (tool.level?.(args) ?? effects[tool.effect].level)
}

/** The level at which a person is asked: such a call is at least a wide one. */
export function personLevel(tool: Tool, args: Readonly<Record<string, unknown>>): Level {
  const level = callLevel(tool, args)
  return level > UNCONFIRMED ? level : 2
}

function asking({ tool, args, context, frame: { facts, form } }: Calling): Asking {
  const { confirm: options, changing } = facts
  return { tool, args, context, level: personLevel(tool, args), options, caller: changing.caller, form }
}

/**
 * With a pinned product no tool has the parameter, but the pinned product may still be named. The name of another one is
 * left to the check of the arguments, which refuses the parameter; an address rejects.
 */
async function withoutPinned(
  raw: unknown,
  { facts, budget, address }: { facts: CallFacts; budget: Budget; address: boolean },
): Promise<unknown> {
  if (typeof raw !== 'object' || raw === null || !('product' in raw)) return raw
  const { product, ...rest } = raw
  const api = await openApi(facts, budget)
  const resolver = createResolver({
    api,
    pinned: facts.options.product,
    signal: budget.signal,
    seen: facts.seen,
  })
  try {
    await resolver.product(String(product), { write: true })
    return rest
  } catch (error) {
    if (address || !(error instanceof TeachingError)) throw error
    return raw
  }
}

/** The client of one call. */
export async function openApi(facts: CallFacts, budget: Budget): Promise<Api> {
  return boundApi(await startWithApi({ facts, budget }), budget)
}

/** The client of all calls. The time of this one runs from here, because the first call may have to open the service. */
async function startWithApi({ facts, budget }: Pick<RunningCall, 'facts' | 'budget'>): Promise<Api> {
  const opened = await facts.api()
  budget.start()
  return opened
}
