import type { Api } from '../../client/api.ts'
import { failures, ServiceError } from '../../errors.ts'
import { inToolWords, readArguments } from './arguments.ts'
import { requireConfirmation } from './confirmation.ts'
import type { Context, Suggest, SurfaceOptions } from '../define/define.ts'
import type { ListedTool, Listing } from '../surface/listing.ts'
import type { LocalFiles } from '../files/local-files.ts'
import { asksForMore, moreCall } from '../result/more-call.ts'
import { render } from '../result/render.ts'
import type { RepairKind } from './repair/notes.ts'
import { createResolver } from '../resolve/index.ts'
import { errorText } from '../result/teach.ts'
import type { Upload } from '../../client/upload.ts'

/** What became of one tool call. */
export interface CallRecord {
  /** The tool, or the template of the address by which it was called. */
  tool: string
  /** `ok`, or the code that the agent read. */
  outcome: string
  durationMs: number
  /** Length of the text form. */
  characters: number
  /** How the arguments were repaired. */
  repairs: RepairKind[]
}

/** What calls need of the server around them. */
export interface CallFacts {
  /** Opens the service or the network at the first call that needs it. */
  api: () => Api | Promise<Api>
  options: SurfaceOptions
  /** Told of every failure that is no `ServiceError`; the agent learns nothing of it. */
  onBug?: (error: unknown, tool: string) => void
  /** Told of every call, for the log; never of its arguments or its result (mcp §8.4). */
  onCall?: (record: CallRecord) => void
  /** Files inside the allowed roots, where the caller is on this machine. */
  local?: LocalFiles
  /** Sends bytes to a presigned address, where the caller is on this machine. */
  upload?: Upload
}

export interface CallFrame {
  listing: Listing
  facts: CallFacts
  signal: AbortSignal
  /** For the log. */
  name: string
  /** Where the caller wants to know how far the call is. */
  progress?: Context['progress'] | undefined
  /** The arguments come from an address, in which the product stands also where one is pinned. */
  address?: boolean
}

export interface CallOutcome {
  /** The text form of the result, or what the agent reads of the error. */
  text: string
  structuredContent?: { [name: string]: unknown }
  _meta: { 'tracegate/integrity': string }
  error?: unknown
}

/** One call with any arguments, logged; never rejects. */
export async function tryTool(listed: ListedTool, raw: unknown, frame: CallFrame): Promise<CallOutcome> {
  const { listing, facts, name } = frame
  const started = performance.now()
  const record: CallRecord = { tool: name, outcome: 'ok', durationMs: 0, characters: 0, repairs: [] }
  const outcome = await callTool(listed, raw, frame, record).catch((error: unknown): CallOutcome => {
    if (!(error instanceof ServiceError)) facts.onBug?.(error, name)
    record.outcome = error instanceof ServiceError ? failures[error.code].agent : failures.internal.agent
    const text = errorText(error, { offers: listing.offers, pinned: facts.options.product !== undefined })
    return { text, error, _meta: { 'tracegate/integrity': 'trusted' } }
  })
  const durationMs = Math.round(performance.now() - started)
  facts.onCall?.({ ...record, durationMs, characters: outcome.text.length })
  return outcome
}

async function callTool(
  { tool, input }: ListedTool,
  raw: unknown,
  { listing, facts, signal, progress = () => {}, address = false }: CallFrame,
  record: CallRecord,
): Promise<CallOutcome> {
  const { offers } = listing
  const { product } = facts.options
  const pinned = product !== undefined
  const given = pinned && address ? await withoutPinned(raw, facts, signal) : raw
  const { args, adjusted, kinds } = readArguments({ input, effect: tool.effect, pinned, product }, given)
  record.repairs.push(...kinds)
  requireConfirmation(tool, args)
  const api = await facts.api()
  const resolve = createResolver({ api, pinned: product, signal })
  const { local, upload, options } = facts
  const answer = await tool
    .run(args, { api, options, resolve, signal, offers, local, upload, progress })
    .catch((error: unknown) => {
      throw inToolWords(error, input, args)
    })
  if (answer.adjusted !== undefined) record.repairs.push('looked_up')
  const { text, structured, integrity } = render(answer, {
    output: tool.output,
    offers,
    adjusted: [...adjusted, ...(answer.adjusted ?? [])],
    pinned,
    limits: {
      cuts: tool.cuts ?? [],
      wide: asksForMore(input, args),
      more: (cuts) => moreCall({ name: tool.name, input }, args, cuts),
    },
  })
  return { text, structuredContent: structured, _meta: { 'tracegate/integrity': integrity } }
}

/** No tool has the parameter under a pin: the product in an address is right when it is the pinned one. */
async function withoutPinned(raw: unknown, facts: CallFacts, signal: AbortSignal): Promise<unknown> {
  if (typeof raw !== 'object' || raw === null || !('product' in raw)) return raw
  const { product, ...rest } = raw
  await createResolver({ api: await facts.api(), pinned: facts.options.product, signal }).product(String(product))
  return rest
}

/** How long somebody who types waits for a suggestion. */
const SUGGEST_MS = 3_000
const SUGGESTIONS = 100

/** Runs a suggestion for what is typed; nothing to suggest when it fails. */
export type RunSuggest = (
  suggest: Suggest,
  typed: string,
  given: Readonly<Record<string, string>> | undefined,
) => Promise<string[]>

/** Suggestions of a server, each within its time. */
export function suggestions(facts: CallFacts): RunSuggest {
  return async (suggest, typed, given = {}) => {
    const signal = AbortSignal.timeout(SUGGEST_MS)
    try {
      const api = await facts.api()
      const resolve = createResolver({ api, pinned: facts.options.product, signal })
      return (await suggest(typed, { api, resolve, signal, given })).slice(0, SUGGESTIONS)
    } catch (error) {
      if (!(error instanceof ServiceError) && !signal.aborted) facts.onBug?.(error, 'a suggestion')
      return []
    }
  }
}
