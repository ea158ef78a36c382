import type { Requirement } from '../../src/mcp/resolve/types.ts'
import { fields, teamLine, upTo } from '../../src/mcp/result/output.ts'

/** Where the words of a requirement come from: `docs/cart.md:12` and, where it says more than the statement, the quote. */
export const requirementSource = fields({ from: teamLine, quote: upTo(teamLine, 400) })

/** The source of a requirement; undefined for one that a member wrote without naming a source. */
export function describeSource({ source, statement }: Pick<Requirement, 'source' | 'statement'>) {
  const { uri = '', line_start: line = 0, quote = '' } = source ?? {}
  if (uri === '' && quote === '') return undefined
  const from = line === 0 ? uri : `${uri}:${String(line)}`
  return { from: from === '' ? undefined : from, quote: isSaid(quote, statement) ? undefined : quote }
}

/** Whether the statement has the same words. */
function isSaid(quote: string, statement = ''): boolean {
  const words = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
  return words(quote) === '' || words(quote) === words(statement)
}
