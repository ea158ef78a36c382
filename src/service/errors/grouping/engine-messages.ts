import { isMinifiedName } from './minified.ts'

/** Longer texts are not engine messages, which name one expression. Bounds the work of the patterns below. */
const LONGEST = 512

type Rule = readonly [type: RegExp, message: RegExp, say: (match: RegExpExecArray) => string]

const nullish = (kind: string, property: string) => `${kind} has no property ${property === '' ? '<any>' : property}`

/**
 * The messages of V8, SpiderMonkey and JavaScriptCore for the same failure, and one text for all three. The name of a
 * property comes from the source and stays; the name of a variable comes from the minifier and does not count.
 */
const RULES: readonly Rule[] = [
  // V8
  [
    /^TypeError$/,
    /^Cannot (?:read|set) propert(?:y|ies) (?:'([^']*)' )?of (undefined|null)(?: \((?:reading|setting) '(.*)'\))?$/,
    ([, old = '', kind = '', property = '']) => nullish(kind, property || old),
  ],
  [
    /^TypeError$/,
    /^Cannot destructure (?:property '([^']*)' of )?.* as it is (undefined|null)\.$/,
    ([, property = '', kind = '']) => nullish(kind, property),
  ],
  // SpiderMonkey
  [
    /^TypeError$/,
    /^can't access property (?:"([^"]*)"|([\w$.]+)), .* is (undefined|null)$/,
    ([, name = '', other = '', kind = '']) => nullish(kind, name || other),
  ],
  [
    /^TypeError$/,
    /^([\w$.[\]()]+) is (undefined|null)$/,
    ([, expression = '', kind = '']) => `${kind}: ${lastName(expression)}`,
  ],
  // JavaScriptCore
  [
    /^TypeError$/,
    /^(undefined|null) is not an object \(evaluating '(.*)'\)$/s,
    ([, kind = '', expression = '']) => nullish(kind, lastProperty(expression)),
  ],
  [
    /^TypeError$/,
    /^(.+?) is not a (function|constructor)(?:\.? \((?:In|evaluating) '.*\))?$/s,
    ([, expression = '', kind = '']) => `not a ${kind}: ${lastName(expression)}`,
  ],
  [
    /^TypeError$/,
    /^(.+?) is not iterable(?: \(cannot read property Symbol\(Symbol\.iterator\)\))?$/,
    ([, expression = '']) => `not iterable: ${lastName(expression)}`,
  ],
  [
    /^TypeError$/,
    /^(?:Assignment to constant variable\.|invalid assignment to const .*|Attempted to assign to readonly property\.)$/,
    () => 'assignment to a constant',
  ],
  [
    /^TypeError$/,
    /^(?:Converting circular structure to JSON[^]*|cyclic object value|JSON\.stringify cannot serialize cyclic structures\.)$/,
    () => 'circular structure',
  ],
  [
    /^TypeError$/,
    /^(?:Failed to fetch dynamically imported module|error loading dynamically imported module|Importing a module script failed)\b.*$/,
    () => 'module not loaded',
  ],
  [
    /^TypeError$/,
    /^(?:Failed to fetch|NetworkError when attempting to fetch resource\.?|Load failed|fetch failed)(?: \([^)]*\))?$/,
    () => 'fetch failed',
  ],
  [
    /^ReferenceError$/,
    /^(?:([\w$]+) is not defined|Can't find variable: ([\w$]+))$/,
    ([, name = '', other = '']) => `not defined: ${lastName(name || other)}`,
  ],
  [/^(?:RangeError|InternalError)$/, /^(?:Maximum call stack size exceeded\.?|too much recursion)$/, () => RECURSION],
  [/^RangeError$/, /^(?:Invalid time value|invalid date|Invalid Date)$/, () => 'invalid date'],
  [
    /^SyntaxError$/,
    /^(?:Unexpected end of JSON input|Unterminated string in JSON\b.*|JSON\.parse: (?:unexpected end|unterminated)\b.*|JSON Parse error: (?:Unexpected EOF|Unterminated string))$/,
    () => 'JSON that ends early',
  ],
  [
    /^SyntaxError$/,
    /^(?:.* in JSON at position \d+.*|.* is not valid JSON|JSON\.parse: .*|JSON Parse error: .*)$/s,
    () => 'not JSON',
  ],
]

const RECURSION = 'too much recursion'

/** The text of an engine's own error in words common to all engines; any other text unchanged. */
export function sharedMessage(type: string, value: string): string {
  const text = value.trim()
  if (text.length > LONGEST) return value
  for (const [types, pattern, say] of RULES) {
    const match = types.test(type) ? pattern.exec(text) : null
    if (match !== null) return say(match)
  }
  return value
}

/** The type of an exception by the name most engines give it: Firefox has its own for a stack overflow. */
export function sharedType(type: string, value: string): string {
  return type === 'InternalError' && sharedMessage(type, value) === RECURSION ? 'RangeError' : type
}

/** `total` of `e.cart.total` and of `e.cart.total = 1`; '' where the key is computed. */
function lastProperty(expression: string): string {
  const target = expression.replace(/[-+*/%&|^?<>]{0,3}=(?!=).*$/s, '')
  const [, dotted = '', quoted = '', index = ''] =
    /(?:\.([\w$#]+)|\[["']([^"']*)["']\]|\[(\d+)\])$/.exec(target.trim()) ?? []
  return dotted || quoted || index
}

/** The last property of an expression, or the variable it is unless a minifier named it. */
function lastName(expression: string): string {
  const property = lastProperty(expression.replace(/\)$/, ''))
  if (property !== '') return property
  return /^[\w$]{1,60}$/.test(expression) && !isMinifiedName(expression) ? expression : '<any>'
}
