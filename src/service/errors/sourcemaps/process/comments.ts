/** Candidates examined from the end of a file, which bounds the cost of a file full of look-alikes. */
const MOST_CANDIDATES = 50

/** A debug id in the form used by lookups: lower case with dashes; '' for anything else. */
export function normalDebugId(text: string): string {
  const hex = text.trim().toLowerCase().replaceAll('-', '')
  if (!/^[0-9a-f]{32}$/.test(hex)) return ''
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/**
 * The address in the `sourceMappingURL` comment at the end of a file, '' without one. Only comments and white space may
 * follow it (ECMA-426): a bundler's own code contains the same words in strings.
 */
export function sourceMappingUrl(code: string): string {
  return commentAtEnd(code, 'sourceMappingURL')
}

/** The debug id that a minified file names: in its comment, else in the snippet that bundler plugins prepend. */
export function findDebugId(code: string): string {
  const comment = normalDebugId(commentAtEnd(code, 'debugId'))
  if (comment !== '') return comment
  const mark = 'sentry-dbid-'
  const at = code.lastIndexOf(mark)
  return at === -1 ? '' : normalDebugId(code.slice(at + mark.length, at + mark.length + 36))
}

function commentAtEnd(code: string, name: string): string {
  let at = code.length
  for (let looked = 0; looked < MOST_CANDIDATES && at > 0; looked += 1) {
    at = code.lastIndexOf(`${name}=`, at - 1)
    if (at === -1) return ''
    const value = valueAt(code, at, name)
    if (value !== undefined) return value
  }
  return ''
}

function valueAt(code: string, at: number, name: string): string | undefined {
  const opening = code.slice(Math.max(0, at - 4), at)
  const isLine = /\/\/[#@] ?$/.test(opening)
  if (!isLine && !/\/\*[#@] ?$/.test(opening)) return undefined
  const start = at + name.length + 1
  const end = valueEnd(code, start, isLine)
  const value = code.slice(start, end).trim()
  // A value with white space or quotes is code that looks like a comment.
  if (/[\s'"`]/.test(value)) return undefined
  return isBlank(code.slice(isLine ? end : end + 2)) ? value : undefined
}

function valueEnd(code: string, start: number, isLine: boolean): number {
  if (!isLine) {
    const close = code.indexOf('*/', start)
    return close === -1 ? code.length : close
  }
  const length = code.slice(start).search(/[\r\n\u2028\u2029]/)
  return length === -1 ? code.length : start + length
}

/** Whether the rest consists only of comments and white space. */
function isBlank(rest: string): boolean {
  let left = rest.trimStart()
  while (left !== '') {
    const comment = /^(?:\/\/[^\r\n\u2028\u2029]*|\/\*[^]*?\*\/)/.exec(left)?.[0]
    if (comment === undefined) return false
    left = left.slice(comment.length).trimStart()
  }
  return true
}
