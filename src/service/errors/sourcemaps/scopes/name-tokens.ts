import type { Expression, Identifier, Pattern, PrivateIdentifier } from 'acorn'

/**
 * How far a minified name can be trusted: an `identifier` is usually renamed; a `key` is a property's name and is usually
 * kept; a `literal` key is kept when the program wrote it, but bundlers also number their modules with such keys; a
 * `symbol` is `[Symbol.name]`.
 */
export type TokenKind = 'identifier' | 'key' | 'literal' | 'symbol'

/** Part of a name, with its offset. */
export interface FoundToken {
  offset: number
  text: string
  kind: TokenKind
}

/** The names from an object to its member; `ofThis` when the object is `this`. */
export interface FoundPath {
  tokens: FoundToken[]
  ofThis: boolean
}

/** The path of a function or class without a name. */
export const NAMELESS: FoundPath = { tokens: [], ofThis: false }

/** Longer names are generated text and would only fill the table. */
const LONGEST_TEXT = 120
const LONGEST_PATH = 6

export function tokenOfName(node: Identifier): FoundToken {
  return { offset: node.start, text: node.name.slice(0, LONGEST_TEXT), kind: 'identifier' }
}

/** The name that a property's key gives, undefined when it is computed at run time. */
export function tokenOfKey(
  key: Expression | PrivateIdentifier,
  computed: boolean,
  input: string,
): FoundToken | undefined {
  const offset = key.start
  if (key.type === 'PrivateIdentifier') {
    return { offset, text: `#${key.name}`.slice(0, LONGEST_TEXT), kind: 'identifier' }
  }
  if (key.type === 'Identifier' && !computed) return { offset, text: key.name.slice(0, LONGEST_TEXT), kind: 'key' }
  if (key.type === 'Literal') {
    const text = typeof key.value === 'string' ? key.value : input.slice(key.start, key.end)
    return text.length <= LONGEST_TEXT ? { offset, text, kind: 'literal' } : undefined
  }
  if (key.type === 'MemberExpression' && !key.computed && key.property.type === 'Identifier') {
    const isSymbol = key.object.type === 'Identifier' && key.object.name === 'Symbol'
    return isSymbol ? { offset, text: `[Symbol.${key.property.name}]`, kind: 'symbol' } : undefined
  }
  return undefined
}

/**
 * The name that V8 gives to a function assigned to the target: the variable, or the path of the member without
 * `prototype`. Empty when the target is a pattern or a member computed at run time.
 */
export function assignedPath(target: Pattern | Expression): FoundPath {
  const tokens: FoundToken[] = []
  let node: Pattern | Expression | PrivateIdentifier = target
  while (node.type === 'MemberExpression' && node.object.type !== 'Super') {
    const token = tokenOfKey(node.property, node.computed, '')
    if (token === undefined || token.text === '' || token.kind === 'symbol') return NAMELESS
    if (token.text !== 'prototype') tokens.unshift(token)
    node = node.object
  }
  if (node.type === 'Identifier') tokens.unshift(tokenOfName(node))
  else if (node.type !== 'ThisExpression' || tokens.length === 0) return NAMELESS
  return { tokens: tokens.slice(-LONGEST_PATH), ofThis: node.type === 'ThisExpression' }
}
