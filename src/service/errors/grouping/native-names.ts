/** Text of one character each, so that the brackets inside do not count as brackets. */
const PROTECTED: readonly (readonly [text: string, mark: string])[] = [
  ['operator<<', 'operator\uE000\uE000'],
  ['operator<', 'operator\uE000'],
  ['operator()', 'operator\uE001'],
  ['operator->', 'operator\uE002'],
  [' -> ', ' \uE002 '],
  ["`anonymous namespace'", '\uE003'],
]
const ARROW = '\uE002'
const ANONYMOUS = '\uE003'

/** How gcc, MSVC and clang name a lambda. */
const LAMBDA = /\{lambda\(.*?\)#\d+\}|\blambda_[a-f0-9]{32}\b|\$_\d+\b/g

/**
 * The qualified name in what demanglers print for C, C++, Rust and Swift: without return type, arguments, template
 * arguments, qualifiers, and what differs from build to build (errors §2.1). Names of Objective-C stay as they are.
 */
export function nativeName(printed: string): string {
  const name = printed.trim()
  if (/^[+-]?\[/.test(name) || name === '') return name
  const marked = protect(withoutTrailers(name))
  const plain = replaceEnclosed(replaceEnclosed(marked, '(', ')', keptArguments), '<', '>', generics)
  const found = chooseName(splitAtSpaces(plain), plain)
  return withoutBuild(found === '' ? name : unprotect(found))
}

/** Removes `[clone .part.0]` and what qualifies a method after its arguments. */
function withoutTrailers(name: string): string {
  let kept = replaceEnclosed(name, '[', ']', (inner) => (inner.startsWith('clone .') ? '' : `[${inner}]`)).trimEnd()
  for (;;) {
    if (kept.endsWith('&')) kept = kept.slice(0, -1).trimEnd()
    else if (kept.endsWith('const') && !/\w/.test(kept.at(-6) ?? '')) kept = kept.slice(0, -5).trimEnd()
    else return kept
  }
}

function protect(name: string): string {
  let marked = name
  if (/operator| -> |`/.test(name)) for (const [text, mark] of PROTECTED) marked = marked.replaceAll(text, mark)
  if (/lambda|\$_/.test(name)) marked = marked.replace(LAMBDA, 'lambda')
  return name.includes('?A0x') ? marked.replace(/\?A0x[a-f0-9]{8}(?=::)/g, ANONYMOUS) : marked
}

function unprotect(name: string): string {
  if (!/[\uE000-\uE003]/.test(name)) return name
  return name
    .replaceAll('\uE000', '<')
    .replaceAll('\uE001', '()')
    .replaceAll(ARROW, '->')
    .replaceAll(ANONYMOUS, "`anonymous namespace'")
}

function keptArguments(inner: string): string {
  const text = inner.trim()
  return text === 'anonymous namespace' || text === 'operator' ? `(${text})` : ''
}

/** `<T>` for template arguments; at the start of a name Rust puts the type and its trait: `<Cart as Total>::sum`. */
function generics(inner: string, start: number): string {
  if (inner === 'lambda') return '<lambda>'
  if (start > 0) return '<T>'
  const type = replaceEnclosed(inner.replace(/^[A-Z] as /, ''), '<', '>', generics)
  return type.split(' as ', 1)[0]!
}

/** Replaces each outermost pair of brackets with its content; what is never closed is left out. */
function replaceEnclosed(
  text: string,
  open: string,
  close: string,
  replacement: (inner: string, start: number) => string,
): string {
  if (!text.includes(open)) return text
  let result = ''
  let depth = 0
  // Of the brackets, and of the text after the last ones.
  let start = 0
  let rest = 0
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index]
    if (char === open) {
      if (depth === 0) {
        result += text.slice(rest, index)
        start = index
      }
      depth += 1
    } else if (char === close && depth > 0) {
      depth -= 1
      if (depth === 0) result += replacement(text.slice(start + 1, index), start)
      rest = index + 1
    }
  }
  return depth === 0 ? result + text.slice(rest) : result
}

const CLOSING: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['{', '}'],
  ['[', ']'],
  ['<', '>'],
])

/** The words of a name, with brackets and what is inside of them in one word. */
function splitAtSpaces(name: string): string[] {
  if (!/[\s({[<]/.test(name)) return name === '' ? [] : [name]
  const words: string[] = []
  const open: string[] = []
  let start = 0
  for (let index = 0; index < name.length; index += 1) {
    const char = name[index]!
    const closing = CLOSING.get(char)
    if (closing !== undefined) open.push(closing)
    else if (open.length > 0) {
      if (char === open.at(-1)) open.pop()
    } else if (char === ' ' || char === '\t' || char === '\n') {
      if (index > start) words.push(name.slice(start, index))
      start = index + 1
    }
  }
  return start < name.length ? [...words, name.slice(start)] : words
}

/** The function among the words; a closure is named after the function it is in. */
function chooseName(words: readonly string[], name: string): string {
  const chosen = initialised(words, name) ?? called(words)
  // An attribute in the place of the name: Swift's closures have none.
  if (chosen.startsWith('@') && !/@\d+$/.test(chosen))
    return name.includes('thunk for ') ? 'thunk for closure' : 'closure'
  return words.includes('closure') && chosen !== 'closure' ? `closure in ${chosen}` : chosen
}

/** The variable whose first value Swift computes. */
function initialised(words: readonly string[], name: string): string | undefined {
  if (!name.includes('initialization expression of')) return undefined
  const [first, second] = words.slice(words.lastIndexOf('of') + 1)
  const variable = first === 'static' ? second : first
  return variable === undefined ? undefined : `initializer expression of ${variable.replace(/^:/, '')}`
}

/** The word before Swift's arrow, else the last one. */
function called(words: readonly string[]): string {
  const arrow = words.lastIndexOf(ARROW)
  const before = arrow > 0 ? words.slice(0, arrow) : words
  const last = before.at(-1) ?? ''
  if (arrow > 0 && last === 'throws') return before.at(-2) ?? last
  // MSVC puts a space between an operator and its template arguments.
  return last === '<T>' && before.length > 1 ? `${before.at(-2)!} <T>` : last
}

/** Followed by the kind of the function at most. */
const IL2CPP_HASH =
  /_m[0-9A-F]{40}(?=(?:_[fg]shared)?(?:_inline)?$|_(?:AdjustorThunk|Multicast|Open\w{1,30}|gp(?:_\d{1,3}){1,20})$)/

/**
 * Without Rust's hash, the version of glibc's symbol, the size of the arguments of Windows' calling conventions, and the
 * hash of Unity's IL2CPP.
 */
function withoutBuild(name: string): string {
  let stable = name
  if (name.includes('::h')) stable = stable.replace(/::h[a-z0-9]{16}$/, '')
  if (name.includes('@')) stable = stable.replace(/@@?GLIBC_[0-9.]+$/, '').replace(/^@?([^@]+)@\d+$/, '$1')
  return name.includes('_m') ? stable.replace(IL2CPP_HASH, '') : stable
}
