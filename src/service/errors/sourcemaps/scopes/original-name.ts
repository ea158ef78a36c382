/*
 * Reads names at positions of an original text, which may be JavaScript, TypeScript or a language that compiles to it:
 * only the characters around a position are examined, never the whole syntax.
 */

/** Source of a pattern for an identifier, to be used with the flag u. */
export const NAME = String.raw`[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*`
const IDENTIFIER = new RegExp(`#?${NAME}`, 'uy')
const LITERAL = /(['"])((?:(?!\1)[^\\\r\n]){1,120})\1|\d[\d_]{0,15}(?![\w.])/y
const SYMBOL = new RegExp(String.raw`\[?\s*(Symbol\.${NAME})`, 'uy')
const MEMBER = new RegExp(
  String.raw`(?:(?:public|private|protected|static|override|async|get|set)\s*)+\*?\s*(#?${NAME})\s*[(<]`,
  'uy',
)
const DEFAULT = /export\s+default\b\s*/y
const FUNCTION = new RegExp(String.raw`(?:async\s+)?function\b\s*(?:\*\s*)?(${NAME})?`, 'uy')
const CLASS = new RegExp(String.raw`(?:abstract\s+)?class\b\s*(${NAME})?`, 'uy')
const CREATED = new RegExp(String.raw`new\s+(?:${NAME}\s*\.\s*)*(${NAME})`, 'uy')
const ARROW = new RegExp(String.raw`(?:async\b\s*)?(?:<[^>]*>\s*)?(?:\(|${NAME}\s*=>)`, 'uy')
/** The brackets of an arrow's parameters, with types and one bracket deep. */
const PARAMETERS = /\((?:[^()]|\([^()]*\))*\)\s*(?::[^={}]*)?=>/y

const MODIFIER = String.raw`(?:const|let|var|static|readonly|public|private|protected|override|accessor)\s`
const PATH = String.raw`((?:${NAME}\??\.)*#?${NAME})`
const ASSIGNED = new RegExp(String.raw`(?:^|[\n;{}(,=]|${MODIFIER})\s*${PATH}\s*(?:\|\||&&|\?\?)?=\s*$`, 'u')
const TYPED = new RegExp(String.raw`\b(?:const|let|var)\s+(${NAME})\s*:(?:[^;=]|=>)*=\s*$`, 'u')
const KEYED = new RegExp(String.raw`[{,]\s*(?:(${NAME})|(['"])([^'"\\\r\n]{1,120})\2)\s*:\s*$`, 'u')
const EXPORTED = /\bexport\s+default\s*$/
/** Before an argument of a call, a result, or a function that is called at once. */
const UNNAMED =
  /(?:=>|\b(?:return|yield|await|void|throw)|(?:[\w$)\]>]|\b(?:return|yield|await|void)\s+)\(|(?:^|\n)\s*[;!]?\()\s*$/

/** Words at which a mapping points when it covers more than a name. */
const KEYWORDS = new Set(
  (
    'abstract async await break case catch class const continue debugger declare default delete do else enum export ' +
    'extends finally for function get if implements import in instanceof interface let new null override private ' +
    'protected public readonly return set static super switch this throw true false try typeof using var void while ' +
    'with yield'
  ).split(' '),
)

/** Keywords in some places only, which may name functions as well. */
const CONTEXTUAL = new Set(
  'abstract async declare get implements interface override private protected public readonly set static using'.split(
    ' ',
  ),
)

export function isKeyword(word: string): boolean {
  return KEYWORDS.has(word)
}

/** Whether no function can have this name. */
export function isReserved(word: string): boolean {
  return KEYWORDS.has(word) && !CONTEXTUAL.has(word)
}

/**
 * The name at the offset, also after the words that introduce it (`static async open`); '' when there is none. `default` for an export that has no name of its own.
 */
export function nameAt(text: string, offset: number): string {
  const identifier = matchAt(IDENTIFIER, text, offset)?.[0] ?? ''
  if (!KEYWORDS.has(identifier)) return identifier
  const exported = matchAt(DEFAULT, text, offset)?.[0].length
  if (exported !== undefined) return declaredAt(text, offset + exported) || 'default'
  return (
    matchAt(MEMBER, text, offset)?.[1] ?? (declaredAt(text, offset) || (isMemberName(text, offset) ? identifier : ''))
  )
}

/** What is called at the offset: `load`, `new Cart`; '' when it is not a name. */
export function calledAt(text: string, offset: number): string {
  const created = matchAt(CREATED, text, offset)?.[1]
  return created === undefined ? nameAt(text, offset) : `new ${created}`
}

/** The text of the quoted or numeric key at the offset; '' when there is none. */
export function literalAt(text: string, offset: number): string {
  const literal = matchAt(LITERAL, text, offset)
  return literal?.[2] ?? literal?.[0] ?? ''
}

/** `[Symbol.iterator]` when that is at the offset, else ''. */
export function symbolAt(text: string, offset: number): string {
  const symbol = matchAt(SYMBOL, text, offset)?.[1] ?? ''
  return symbol === '' ? '' : `[${symbol}]`
}

/**
 * The name of the function or class literal that begins at the offset: its own, or that of what it is assigned to in
 * the text before. '' when it has none; undefined when that is not clear, or no literal begins there.
 */
export function literalNameAt(text: string, offset: number): string | undefined {
  const start = literalStart(text, offset)
  return start === undefined ? undefined : declaredAt(text, start) || assignedName(text.slice(0, start))
}

/** Minifiers remove the brackets around a single parameter; the mapping of the arrow then points at its name. */
function literalStart(text: string, offset: number): number | undefined {
  if ([FUNCTION, CLASS, ARROW].some((pattern) => matchAt(pattern, text, offset) !== undefined)) return offset
  const bracket = text.slice(0, offset).trimEnd().length - 1
  return bracket >= 0 && matchAt(PARAMETERS, text, bracket) ? bracket : undefined
}

function declaredAt(text: string, offset: number): string {
  const name = matchAt(FUNCTION, text, offset)?.[1] ?? matchAt(CLASS, text, offset)?.[1] ?? ''
  return KEYWORDS.has(name) ? '' : name
}

function assignedName(textBefore: string): string | undefined {
  const before = textBefore.replace(/\basync\s*$/, '')
  if (EXPORTED.test(before)) return 'default'
  const keyed = KEYED.exec(before)
  if (keyed !== null) return keyed[1] ?? keyed[3]
  const path = TYPED.exec(before)?.[1] ?? ASSIGNED.exec(before)?.[1]
  if (path !== undefined) return path.replaceAll(/\?|\bthis\.|\bprototype\./g, '')
  return UNNAMED.test(before) ? '' : undefined
}

/** `delete(`, `get(`: keywords may name members. */
function isMemberName(text: string, offset: number): boolean {
  return /^\w+\s*\(/.test(text.slice(offset, offset + 40)) && /[{};,]\s*$/.test(text.slice(0, offset))
}

function matchAt(pattern: RegExp, text: string, offset: number): RegExpExecArray | undefined {
  pattern.lastIndex = offset
  return pattern.exec(text) ?? undefined
}
