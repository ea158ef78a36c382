import { isObject, type JsonObject } from '../../../lib/objects.ts'

/**
 * The JSON object in the text, or undefined when the text is anything else. `NaN` and `Infinity`, which older Python SDKs
 * write, are read as null (errors §1.5).
 */
export function parseObject(text: string): JsonObject | undefined {
  const value = parse(text) ?? parse(withoutNaN(text))
  return isObject(value) ? value : undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function withoutNaN(text: string): string {
  if (!text.includes('NaN') && !text.includes('Infinity')) return ''
  // Strings are matched in order to skip them. A match that starts at a quote always succeeds, even if unterminated:
  // otherwise a text full of quotes would be scanned once per quote.
  return text.replace(/"[^"\\]*(?:\\[\s\S]?[^"\\]*)*"?|-?(?:NaN|Infinity)/g, (token) =>
    token.startsWith('"') ? token : 'null',
  )
}
