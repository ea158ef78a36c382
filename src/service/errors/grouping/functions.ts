import { nativeName } from './native-names.ts'
import type { Family } from './platform.ts'

const LONGEST = 512
const NAMELESS = new Set([
  '',
  '?',
  '<',
  'anonymous',
  '<anonymous>',
  '<anonymous function>',
  'Anonymous function',
  '<unknown>',
  'global code',
  'module code',
])

/** What counts of a name, by family; '' when nothing does. */
const COUNTED: Readonly<Partial<Record<Family, (name: string) => string>>> = {
  javascript,
  // The compiler numbers lambdas in the order of the file.
  java: (name) => (name.startsWith('lambda$') ? '' : withoutCounter(name)),
  php,
  ruby: (name) => (name.startsWith('block ') ? 'block' : withoutTemplateIds(name)),
  native: (name) => (name === '<redacted>' || name === '<unknown>' ? '' : nativeName(name)),
}

/** How a name is shown, where that is another than the one that counts. */
const SHOWN: Readonly<Partial<Record<Family, (name: string) => string>>> = {
  java: (name) => name.replace(/^(lambda\$[\w$]*?)\$\d+$/, '$1'),
  ruby: (name) => withoutTemplateIds(name.replace(/^(?:(?:block|rescue|ensure)(?: \(\d+ levels\))? in )+/, '')),
  csharp: (name) => name.split(' (', 1)[0]!,
}

/**
 * The part of a function's name that stays the same between engines, builds and runs; '' when it has no name. Rules of
 * errors §2.1 per language.
 */
export function functionToken(name: string, family: Family): string {
  return named((COUNTED[family] ?? same)(name.slice(0, LONGEST).trim()))
}

/** A function's name as people read it; '' when it has none. */
export function functionName(name: string, family: Family): string {
  return named((SHOWN[family] ?? COUNTED[family] ?? same)(name.slice(0, LONGEST).trim()))
}

function same(name: string): string {
  return name
}

function named(name: string): string {
  return NAMELESS.has(name) ? '' : name
}

/** `class@anonymous` is followed by its file and an address that differs in each process. */
function php(name: string): string {
  if (name.startsWith('[Anonymous')) return ''
  if (/^class@anonymous./s.test(name)) return name.includes('::') ? name.slice(name.lastIndexOf('::') + 2) : ''
  return name.replace(/@anonymous[^$]*?(?:\$|0x)[0-9a-f]+/g, '@anonymous').replace(/\{closure:[^}]*\}/g, '{closure}')
}

/** Rails compiles each template to a method with a number that differs in each process. */
function withoutTemplateIds(name: string): string {
  return name.replace(/__\d{4,}_\d{4,}$/, '')
}

/** Clojure numbers anonymous functions: `core$fn__1539`. */
function withoutCounter(name: string): string {
  return name.replace(/\bfn(__|--)\d+/g, 'fn$1')
}

/**
 * Chrome says `new Cart`, `async Cart.add [as push]`, `Object.<anonymous>` where Firefox says `Cart`, `async*add`,
 * `add/<`: they share the last segment without the engine's additions.
 */
function javascript(name: string): string {
  if (/^[A-Za-z_$][\w$]*$/.test(name)) return name
  const bare = withoutAlias(name)
    .replace(/^.*\*/, '')
    .replace(/^(?:(?:async|new|get|set|bound) )+/, '')
  const slash = bare.lastIndexOf('/')
  const inner = bare.slice(slash + 1)
  // The wrapper webpack puts around a module is named after its path, or its number in a build.
  if (/\.[cm]?[jt]sx?$/.test(inner) && /^(?:\w+\.)?\.{1,2}\//.test(bare)) return inner
  const segment = inner.slice(inner.lastIndexOf('.') + 1)
  return segment.startsWith('<') || /^\d+$/.test(segment) ? '' : withoutBrackets(segment)
}

// Both search from the end: a pattern would start at each of the many openings that a hostile sender can write.

/** `values` of `values [as [Symbol.iterator]]`. */
function withoutAlias(name: string): string {
  const alias = name.endsWith(']') ? name.lastIndexOf(' [as ') : -1
  return alias === -1 ? name : name.slice(0, alias)
}

/** `add` of Firefox's `add/<` for a function inside of it, after the cut: `add<`. */
function withoutBrackets(name: string): string {
  let end = name.length
  while (name[end - 1] === '<') end -= 1
  return name.slice(0, end)
}

/**
 * Whether the caller is only known because the engine tracks which function awaits: `async pay`, Firefox's `async*pay`.
 */
export function isBeyondAwait(name: string): boolean {
  return /^async |^[^/]*\*/.test(name)
}

/**
 * A class without the numbers that proxies, compilers and hidden classes add: `Cart$$SpringCGLIB$$0` is
 * `Cart$$SpringCGLIB`. '' for the class of a lambda, whose name differs in each process.
 */
export function javaModule(module: string): string {
  if (module.includes('$$Lambda')) return ''
  return withoutCodegen(module.slice(0, LONGEST))
}

/** Without the numbers that generated Java classes and their files have. */
export function withoutCodegen(name: string): string {
  if (!/[$\d]/.test(name)) return name
  return name
    .replace(/(\$\$\w+?)(?:\$\$|@)[0-9a-f]+(?:_\d+)?/gi, '$1')
    .replace(/(\$(?:EnhancerBy|FastClassBy)\w+?)\$[0-9a-f]+(?:_\d+)?/gi, '$1')
    .replace(/_\$\$_(?:javassist|jvst)\w*/, '_$$$$_javassist')
    .replace(/(Generated(?:Method|Constructor|SerializationConstructor)Accessor)\d+$/, '$1')
    .replace(/(\$Proxy)\d+$/, '$1')
    .replace(/\/0x[0-9a-f]+$/i, '')
    .replace(/^jdk\.proxy\d+/, 'jdk.proxy')
    .replace(/(\$HibernateProxy)\$\w+$/, '$1')
    .replace(/(\$fn__)\d+/g, '$1')
}
