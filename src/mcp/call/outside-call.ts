import { Budget } from '../../client/budget.ts'
import { ServiceError } from '../../errors.ts'
import type { ReadContext, Suggest } from '../define/define.ts'
import { createResolver } from '../resolve/index.ts'
import { openApi, type CallFacts } from './call-tool.ts'

/** How long a typing user waits for suggestions. */
const SUGGEST_MS = 3_000
const SUGGESTIONS = 100

/** Resolves to the suggestions for the typed text; empty if they fail. */
export type RunSuggest = (
  suggest: Suggest,
  typed: string,
  given: Readonly<Record<string, string>> | undefined,
) => Promise<string[]>

/** Runs the suggestions of a server, each within its time limit. */
export function suggestions(facts: CallFacts): RunSuggest {
  return (suggest, typed, given = {}) =>
    withApi(facts, SUGGEST_MS, async (context) =>
      (await suggest(typed, { ...context, given })).slice(0, SUGGESTIONS),
    ).catch((error: unknown) => {
      if (!(error instanceof ServiceError)) facts.onBug?.(error, 'a suggestion')
      return []
    })
}

/** Runs reads with the caller's client outside of a tool call; rejects with `deadline_exceeded` when the time is over. */
export async function withApi<T>(
  facts: CallFacts,
  totalMs: number,
  run: (context: ReadContext) => Promise<T>,
): Promise<T> {
  const budget = new Budget({ totalMs, clock: facts.clock })
  const { signal } = budget
  const opened = async () => {
    const api = await openApi(facts, budget)
    return run({ api, resolve: createResolver({ api, pinned: facts.options.product, signal }), signal })
  }
  try {
    return await budget.outcome(opened())
  } catch (error) {
    if (!signal.aborted || error instanceof ServiceError) throw error
    throw new ServiceError('deadline_exceeded', 'the read took too long', { cause: error })
  } finally {
    budget.end()
  }
}
