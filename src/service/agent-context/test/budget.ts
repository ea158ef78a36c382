import { createTruncationNotes } from '../../shared/truncation-notes.ts'
import type * as z from 'zod'
import type { TestContext } from '../../../contract/test-context.ts'

export type TestContextBody = z.input<typeof TestContext>

/** Characters per token of JSON that contains English and code: 3.1 to 3.9, measured with o200k on such contexts. */
const CHARACTERS_PER_TOKEN = 3.4

/** The approximate number of tokens of a value as JSON, precise enough for a budget. */
export function estimateTokens(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / CHARACTERS_PER_TOKEN)
}

/**
 * Cuts the context to a token budget: first excerpts, then similar tests, past failures and related issues (contract
 * §9.3), each named in `truncation_signals`. The other members are never cut, even above the budget.
 */
export function withinBudget(context: TestContextBody, maxTokens: number): TestContextBody {
  let fitting = context
  const { note, noteCut, list } = createTruncationNotes()
  const isOver = () => estimateTokens(fitting) > maxTokens
  const excerpts = context.code_files.filter(({ excerpt }) => excerpt !== '').length
  if (isOver() && excerpts > 0) {
    fitting = { ...fitting, code_files: fitting.code_files.map((file) => ({ ...file, excerpt: '' })) }
    note('code_files.excerpt', 'token_budget', 0, excerpts)
  }
  for (const member of ['similar_tests', 'past_failures', 'related_issues'] as const) {
    const total = fitting[member].length
    let kept = total
    while (isOver() && kept > 0) {
      kept -= 1
      fitting = { ...fitting, [member]: fitting[member].slice(0, kept) }
    }
    noteCut(member, 'token_budget', kept, total)
  }
  const cut = { ...fitting, truncation_signals: [...context.truncation_signals, ...list()] }
  return { ...cut, token_estimate: estimateTokens(cut) }
}
