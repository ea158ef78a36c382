import type { MapTable, Mapping } from '../table/map-table.ts'
import { enclosingName } from './enclosing-name.ts'
import { calledAt, isKeyword, isReserved, literalAt, literalNameAt, nameAt, symbolAt } from './original-name.ts'
import type { Position } from './positions.ts'
import type { FunctionRange, NameToken, Owner, ScopeTable } from './scope-table.ts'

/** The tables that name the functions of a generated file. */
export interface NameTables {
  map: MapTable
  /** Undefined when the minified file was not uploaded. */
  scopes: ScopeTable | undefined
}

/**
 * The name that the function at a generated position (0-based) has in the original program, as V8 prints it:
 * `checkout`, `Cart.add`, `new Order`; without `get`, `set` and `async`, and with the class that holds the method. ''
 * at the top level of a module and for a function without a name. `caller` is the generated position in the frame that
 * called it: the name called there is used for a function that the tables cannot name (errors §3.1).
 */
export function functionName(position: Position, { map, scopes }: NameTables, caller?: Position): string {
  if (scopes === undefined) return isInCallback(map, position, caller) ? '' : calledName(map, caller)
  const found = scopes.innermost(position.line, position.column)
  if (found === undefined) return ''
  const moved = movedFrom(map, position, found)
  if (moved !== undefined) return enclosingName(moved)
  return findName(map, found) ?? (isArgument(map, found.start, caller) ? '' : calledName(map, caller))
}

/** '' for a function without a name, undefined when the tables do not say whether it has one. */
function findName(map: MapTable, found: FunctionRange): string | undefined {
  const owner = found.owner === undefined ? '' : ownerName(map, found.owner)
  switch (found.kind) {
    case 'constructor':
      return owner === '' ? undefined : `new ${owner}`
    case 'fields':
      return member(owner, '<instance_members_initializer>')
    case 'static fields':
      return member(owner, '<static_initializer>')
    case 'method':
    case 'getter':
    case 'setter':
      // Some minifiers map the bracket before the parameters to the name.
      return member(owner, pathName(map, found.path) || nameIn(map, found.start)) || undefined
    case 'function':
    case 'arrow': {
      // A minifier removes a function's own name or assigns it to another variable: the original text says more.
      const literal = literalName(map, found.start)
      return literal === '' ? '' : member(owner, literal ?? pathName(map, found.path)) || undefined
    }
  }
}

function ownerName(map: MapTable, owner: Owner): string {
  const name = pathName(map, owner.path) || (literalName(map, owner) ?? '')
  // Only functions called with `new` have members; by convention their names begin with a capital.
  return owner.isClass || /^\p{Lu}/u.test(name) ? name : ''
}

function member(owner: string, name: string): string {
  return owner === '' || name === '' ? name : `${owner}.${name}`
}

/** `Old.run` from the names of an object and its member; '' when the member's name is not known. */
function pathName(map: MapTable, path: readonly NameToken[]): string {
  const names = path.map((token) => tokenName(map, token))
  return names.slice(names.lastIndexOf('') + 1).join('.')
}

/** The original of one part of a name, '' when it is not known. */
function tokenName(map: MapTable, token: NameToken): string {
  if (token.kind === 'literal' || token.kind === 'symbol') {
    const original = originalIn(map, token)
    // Without the original text only a symbol is certain: bundlers number their modules with literal keys.
    if (original === undefined) return token.kind === 'symbol' ? token.text : ''
    const read = token.kind === 'literal' ? literalAt : symbolAt
    return read(original.text, original.offset) === token.text ? token.text : ''
  }
  const name = nameIn(map, token)
  return name === '' && token.kind === 'key' ? token.text : name
}

/**
 * The name at a generated position: from the original text, else from the mapping, which may be one that the bundler
 * made up.
 */
function nameIn(map: MapTable, position: Position): string {
  const mapping = exactMapping(map, position)
  const original = mapping && originalAt(map, mapping)
  const name = original && nameAt(original.text, original.offset)
  // Terser maps the keyword `async` before a method as a name.
  return name || (isKeyword(mapping?.name ?? '') ? '' : (mapping?.name ?? ''))
}

/** The name that the original text gives to the function or class literal at a generated position. */
function literalName(map: MapTable, start: Position): string | undefined {
  const original = originalIn(map, start)
  return original && literalNameAt(original.text, original.offset)
}

/** The name that the caller calls. */
function calledName(map: MapTable, caller: Position | undefined): string {
  const mapping = caller && exactMapping(map, caller)
  const original = mapping && originalAt(map, mapping)
  const name = (original && calledAt(original.text, original.offset)) || (mapping?.name ?? '')
  // webpack maps `return` before a call as a name.
  return isReserved(name) ? '' : name
}

/** The part of a call that is searched for a function that it passes. */
const LINES_OF_CALL = 50
const CHARACTERS_OF_CALL = 20_000

/**
 * Whether the function is an argument of the call in its caller: the name that is called there (`map`, `replaceAll`) is
 * that of a function between the two that has no frame.
 */
function isArgument(map: MapTable, start: Position, caller: Position | undefined): boolean {
  return isInCall(textOfCall(map, start, caller))
}

/** Whether a position is in the code of a function that is an argument of the call in its caller. */
function isInCallback(map: MapTable, position: Position, caller: Position | undefined): boolean {
  const text = textOfCall(map, position, caller)
  return /=>|\bfunction\b/.test(text) && isInCall(text)
}

/** The original text from the call in the caller to a position behind it; '' when the position is elsewhere or far away. */
function textOfCall(map: MapTable, position: Position, caller: Position | undefined): string {
  const call = caller && exactMapping(map, caller)
  const place = exactMapping(map, position)
  if (call === undefined || place === undefined || call.source !== place.source) return ''
  if (place.line < call.line || place.line - call.line > LINES_OF_CALL) return ''
  const lines = map.lines(call.source, call.line, place.line + 1) ?? []
  const last = lines.length - 1
  const parts = lines.map((line, at) =>
    line.slice(at === 0 ? call.column : 0, at === last ? place.column : line.length),
  )
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return length > CHARACTERS_OF_CALL ? '' : parts.join('\n')
}

/** Whether a text that begins with a call ends inside its brackets; brackets in texts count like others. */
function isInCall(text: string): boolean {
  let depth = 0
  let opened = false
  for (const character of text) {
    if (character === '(') {
      depth += 1
      opened = true
    } else if (character === ')') {
      depth -= 1
      if (depth <= 0) return false
    }
  }
  return opened
}

/** The mapping whose segment starts exactly at the position: one that starts before belongs to another token. */
function exactMapping(map: MapTable, { line, column }: Position): Mapping | undefined {
  const mapping = map.find(line, column)
  if (mapping === undefined || mapping.source < 0) return undefined
  const before = column === 0 ? undefined : map.find(line, column - 1)
  const isExact =
    before === undefined ||
    before.source !== mapping.source ||
    before.line !== mapping.line ||
    before.column !== mapping.column ||
    before.name !== mapping.name
  return isExact ? mapping : undefined
}

/** Text around a mapped position that may contain the assignment and the parameters of a function. */
const LINES_AROUND = 4
const CHARACTERS_AROUND = 400

interface Original {
  text: string
  offset: number
}

function originalIn(map: MapTable, position: Position): Original | undefined {
  const mapping = exactMapping(map, position)
  return mapping && originalAt(map, mapping)
}

function originalAt(map: MapTable, { source, line, column }: Mapping): Original | undefined {
  const first = Math.max(0, line - LINES_AROUND)
  const lines = map.lines(source, first, line + 1 + LINES_AROUND)
  const at = lines?.[line - first]
  if (lines === undefined || at === undefined || column > at.length) return undefined
  // Before they are joined, which copies them: a line may be a whole file.
  const ends = lines.slice(0, line - first).map((text) => text.slice(-CHARACTERS_AROUND))
  const starts = lines.slice(line - first + 1).map((text) => text.slice(0, CHARACTERS_AROUND))
  const near = at.slice(Math.max(0, column - CHARACTERS_AROUND), column)
  const before = [...ends, near].join('\n').slice(-CHARACTERS_AROUND)
  const after = [at.slice(column, column + CHARACTERS_AROUND), ...starts].join('\n').slice(0, CHARACTERS_AROUND)
  return { text: before + after, offset: before.length }
}

/** Original lines that are searched for the head of a function. */
const LINES_BEFORE = 200

/**
 * The original lines up to a position whose code a minifier moved into the function found: it is in another source, or
 * before the function. Empty when the map does not contain them, undefined when the code belongs to the function.
 */
function movedFrom(map: MapTable, position: Position, found: FunctionRange): string[] | undefined {
  if (found.kind === 'fields' || found.kind === 'static fields') return undefined
  const home = exactMapping(map, found.start)
  const place = map.find(position.line, position.column)
  if (home === undefined || place === undefined || place.source < 0) return undefined
  if (place.source === home.source && place.line >= home.line) return undefined
  const lines = map.lines(place.source, Math.max(0, place.line - LINES_BEFORE), place.line + 1)
  const last = lines?.pop()
  return lines && last !== undefined ? [...lines, last.slice(0, place.column)] : []
}
