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

const CLEAN: Record<Family, (name: string) => string> = {
  javascript,
  java: (name) => name.replace(/^(lambda\$[\w$]*?)\$\d+$/, '$1'),
  php: (name) =>
    name
      .replace(/@anonymous[^$]*\$[0-9a-f]+/g, '@anonymous')
      .replace(/\{closure:[^}]*\}/g, '{closure}')
      .replace(/^\[Anonymous function\]$/, ''),
  ruby: (name) =>
    name
      .replace(/^(?:(?:block|rescue|ensure)(?: \(\d+ levels\))? in )+/, '')
      .replace(/(_erb|_haml|_slim)_+\d+_\d+$/, '$1'),
  python: (name) => name,
  other: (name) => name,
}

/**
 * The part of a function's name that stays the same between engines, builds and runs; '' when it has no name. Rules of
 * errors §2.1 per language.
 */
export function functionToken(name: string, family: Family): string {
  const cleaned = CLEAN[family](name.slice(0, LONGEST).trim())
  return NAMELESS.has(cleaned) ? '' : cleaned
}

/**
 * Chrome says `new Cart`, `async Cart.add [as push]`, `Object.<anonymous>` where Firefox says `Cart`, `async*add`,
 * `add/<`: they share the last segment without the engine's additions.
 */
function javascript(name: string): string {
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

/** A Java class without the numbers that proxies and compilers add: `Cart$$SpringCGLIB$$0` is `Cart$$SpringCGLIB`. */
export function javaModule(module: string): string {
  return module
    .slice(0, LONGEST)
    .replace(/(\$\$\w+?)(?:\$\$|@)[0-9a-f]+/g, '$1')
    .replace(/\$\$Lambda[$/]?.*$/, '$$$$Lambda')
    .replace(/_\$\$_(?:javassist|jvst)\w*$/, '_$$$$_javassist')
    .replace(/(Generated(?:Method|Constructor|SerializationConstructor)Accessor)\d+$/, '$1')
    .replace(/(\$Proxy)\d+$/, '$1')
    .replace(/(\$HibernateProxy)\$\w+$/, '$1')
}
