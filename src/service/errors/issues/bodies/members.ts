const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * The JSON of each member of an object, by its name as JSON writes it. `text` is what `JSON.stringify` makes of an object:
 * without spaces, and no name twice. `known` holds the texts that were found last: the same one again is not read again.
 */
export function splitMembers(text: string, known: Map<string, string>): ReadonlyMap<string, string> {
  const members = new Map<string, string>()
  for (let at = 1; text.charCodeAt(at) === QUOTE;) {
    const end = endOfText(text, at)
    const name = text.slice(at + 1, end - 1)
    const value = knownValue(text, end + 1, known.get(name)) ?? text.slice(end + 1, endOfValue(text, end + 1))
    known.set(name, value)
    members.set(name, value)
    at = end + 1 + value.length + 1
  }
  return members
}

function knownValue(text: string, start: number, known: string | undefined): string | undefined {
  if (known === undefined || text.slice(start, start + known.length) !== known) return undefined
  const next = text.charCodeAt(start + known.length)
  // `1` is the beginning of `12`.
  return next === COMMA || next === CLOSE_OBJECT ? known : undefined
}

/** Behind the quote that ends the text which begins at `start`. */
function endOfText(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end + 1
}

function isEscaped(text: string, at: number): boolean {
  let before = at
  while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1
  return (at - before) % 2 === 1
}

/** Behind the value that begins at `start`: at the comma or the bracket that follows. */
function endOfValue(text: string, start: number): number {
  let depth = 0
  let at = start
  while (at < text.length) {
    const character = text.charCodeAt(at)
    if (character === QUOTE) {
      at = endOfText(text, at)
      continue
    }
    if (character === OPEN_OBJECT || character === OPEN_LIST) depth += 1
    else if (character === CLOSE_OBJECT || character === CLOSE_LIST) {
      if (depth === 0) break
      depth -= 1
    } else if (character === COMMA && depth === 0) break
    at += 1
  }
  return at
}
