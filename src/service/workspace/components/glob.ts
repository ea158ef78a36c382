import picomatch from 'picomatch'

// The same rules on every system; `!` at the start does not negate (exclude_globs does), an open bracket is an error.
const OPTIONS = { dot: true, nonegate: true, noextglob: true, strictBrackets: true, windows: false } as const

const MOST_GLOBSTARS = 3
const MOST_STARS = 4
const MOST_STARS_PER_SEGMENT = 3

/** Longer paths match no glob: with the limits above, this bounds the time that a path from an event can cost. */
export const LONGEST_PATH = 400

/**
 * Why a glob cannot be used (one sentence for GLOB_INVALID), undefined when it can. The number of wildcards is limited
 * because anybody can send events with paths, and each wildcard multiplies the time that a path can cost.
 */
export function validateGlob(glob: string): string | undefined {
  if (glob.trim() === '') return 'the glob is empty'
  if (/\p{Cc}/u.test(glob) || glob.trim() !== glob) return 'the glob has spaces at its ends or control characters'
  if (glob.startsWith('/')) return 'paths are relative to the repository: drop the leading "/"'
  if (glob.startsWith('!')) return 'a glob cannot be negated: use exclude_globs'
  if (glob.endsWith('/')) return `a folder's files are written "${glob}**"`
  if (/\\(?:[^[\](){}*?!+@|\\]|$)/.test(glob))
    return 'folders are separated by "/"; "\\" only escapes a special character'
  if (glob.split('/').some((segment) => segment === '..' || segment === '.')) return 'no "." or ".." in a glob'
  if (/[()|]/.test(withoutEscapes(glob))) return 'no "(", ")" or "|" in a glob: write {a,b}, or "\\(" for the character'
  return tooManyStars(glob) ?? unreadable(glob)
}

/** Compiled globs by text: requests compile the same few again and again. */
const known = new Map<string, (path: string) => boolean>()
const MOST_KNOWN = 5_000

/**
 * Returns a function that says whether a repository path matches. A glob that `validateGlob` refuses matches nothing.
 */
export function compileGlob(glob: string): (path: string) => boolean {
  const before = known.get(glob)
  if (before !== undefined) return before
  if (known.size >= MOST_KNOWN) known.clear()
  const matches = compile(glob)
  known.set(glob, matches)
  return matches
}

function compile(glob: string): (path: string) => boolean {
  if (validateGlob(glob) !== undefined) return () => false
  const matches = picomatch(glob, OPTIONS)
  return (path) => path.length <= LONGEST_PATH && matches(path)
}

/** The text of a glob before its first wildcard, bracket or brace. */
export function literalPrefix(glob: string): string {
  let prefix = ''
  for (const [text, literal] of parts(glob)) {
    if (!literal) return prefix
    prefix += text
  }
  return prefix
}

/** How many characters of a glob are literal. */
export function literalLength(glob: string): number {
  return parts(glob).reduce((sum, [text, literal]) => sum + (literal ? text.length : 0), 0)
}

/** A glob without wildcards names one file. */
export function isLiteral(glob: string): boolean {
  return parts(glob).every(([, literal]) => literal)
}

/** Splits a glob into literal characters on one side and wildcards, `[…]` and `{…}` on the other. */
function parts(glob: string): [text: string, literal: boolean][] {
  const pieces = glob.match(/\\.|\*+|\?|\[[^\]]*\]|\{(?:[^{}]|\{[^{}]*\})*\}|./gsu) ?? []
  return pieces.map((piece) => {
    if (piece.length > 1 && piece.startsWith('\\')) return [piece.slice(1), true]
    return [piece, !/^[*?]|^[[{].+/s.test(piece)]
  })
}

function withoutEscapes(glob: string): string {
  return glob.replace(/\\./gs, '')
}

function tooManyStars(glob: string): string | undefined {
  const plain = withoutEscapes(glob)
  if ((plain.match(/\*\*+/g) ?? []).length > MOST_GLOBSTARS) return `at most ${String(MOST_GLOBSTARS)} "**" in a glob`
  const stars = plain.split('/').map((segment) => segment.replace(/\*\*+/g, '').split('*').length - 1)
  if (Math.max(...stars) > MOST_STARS_PER_SEGMENT) return `at most ${String(MOST_STARS_PER_SEGMENT)} "*" in a segment`
  const total = stars.reduce((sum, count) => sum + count, 0)
  return total > MOST_STARS ? `at most ${String(MOST_STARS)} "*" in a glob` : undefined
}

function unreadable(glob: string): string | undefined {
  try {
    picomatch.makeRe(glob, { ...OPTIONS, debug: true })
    return undefined
  } catch {
    // The library's message quotes its regular expression, which does not help the author of the glob.
    return 'a bracket or brace is not closed, or a range is the wrong way round'
  }
}
