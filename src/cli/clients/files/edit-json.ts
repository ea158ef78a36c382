import { Parser, type Expression, type Options, type Property, type SpreadElement } from 'acorn'
import { isMembers, nested, type Members, type Path, type Value } from './values.ts'
import { writeJson } from './write-json.ts'

const syntax: Options = { ecmaVersion: 2024, allowHashBang: false }

/** JSON as plain values; comments and trailing commas are allowed unless it `isStrict`. An empty text has no members. */
export function parseJson(text: string, { isStrict }: { isStrict: boolean }): Members {
  if (isStrict && text.trim() !== '') return requireMembers(JSON.parse(text.replace(/^\uFEFF/, '')) as Value)
  const tree = readTree(text)
  return tree === undefined ? {} : requireMembers(evaluate(tree))
}

/** A change of a text, by places in it. */
interface Splice {
  start: number
  end: number
  text: string
}

/** The text, and how its author writes. */
interface Source {
  text: string
  unit: string
  newline: string
}

/** The text with the value at the path. Comments, order and everything else stay as they are. */
export function setInJson(text: string, path: Path, value: Value): string {
  const source = {
    text,
    unit: /^([ \t]+)["}\]]/m.exec(text)?.[1] ?? '  ',
    newline: text.includes('\r\n') ? '\r\n' : '\n',
  }
  const tree = readTree(text)
  if (tree === undefined) {
    const comments = text.trim() === '' ? '' : text.trimEnd() + source.newline
    return comments + written(nested(path, value), 0, source) + source.newline
  }
  return splices(source, tree, path, value, 0)
    .toSorted((one, other) => other.start - one.start)
    .reduce((edited, { start, end, text: inserted }) => edited.slice(0, start) + inserted + edited.slice(end), text)
}

/** JSON with comments is an expression of JavaScript, so that its parser knows where everything is. */
function readTree(text: string): Expression | undefined {
  if (Parser.tokenizer(text, syntax).getToken().type.label === 'eof') return undefined
  const [statement] = Parser.parse(`(${text}\n)`, { ...syntax, preserveParens: false }).body
  if (statement?.type !== 'ExpressionStatement') throw new Error('this is no value')
  return statement.expression
}

/** The places in a tree are those in a text with a parenthesis before it. */
const AHEAD = 1

function evaluate(node: Expression): Value {
  if (node.type === 'ObjectExpression') {
    return Object.fromEntries(
      node.properties.map((property) => [nameIn(property), evaluate((property as Property).value)]),
    )
  }
  if (node.type === 'ArrayExpression') return node.elements.map((element) => evaluate(element as Expression))
  if (node.type === 'Literal') return JSON.parse(node.raw ?? '') as Value
  if (node.type === 'UnaryExpression' && node.operator === '-')
    return JSON.parse(`-${String((node.argument as { raw?: string }).raw)}`) as Value
  throw new Error(`a ${node.type} is no JSON`)
}

/** JSON has names in double quotes only. */
function nameIn(property: Property | SpreadElement): string {
  const isPlain = property.type === 'Property' && !property.computed && !property.method && !property.shorthand
  if (!isPlain || property.key.type !== 'Literal') throw new Error('a name is missing')
  return JSON.parse(property.key.raw ?? '') as string
}

function splices(source: Source, node: Expression, path: Path, value: Value, depth: number): Splice[] {
  const [step, ...rest] = path
  if (node.type === 'ObjectExpression' && typeof step === 'string') {
    const property = node.properties.find((each) => nameIn(each) === step) as Property | undefined
    if (property !== undefined) return splices(source, property.value, rest, value, depth + 1)
    const text = `${JSON.stringify(step)}: ${written(nested(rest, value), depth + 1, source)}`
    return append(source, node, node.properties, text, depth)
  }
  if (node.type === 'ArrayExpression' && typeof step === 'number') {
    const element = node.elements[step]
    if (element) return splices(source, element as Expression, rest, value, depth + 1)
    return append(source, node, node.elements, written(nested(rest, value), depth + 1, source), depth)
  }
  return [{ start: node.start - AHEAD, end: node.end - AHEAD, text: written(nested(path, value), depth, source) }]
}

/** Adds a member or an element after the others, on a line of its own, below comments that end the list. */
function append(
  { text, unit, newline }: Source,
  node: { start: number; end: number },
  others: readonly ({ start: number; end: number } | null)[],
  added: string,
  depth: number,
): Splice[] {
  const close = node.end - AHEAD - 1
  const last = others.at(-1)
  const inner = text.slice(last ? last.end - AHEAD : node.start - AHEAD + 1, close)
  const end = close - (inner.length - inner.trimEnd().length)
  const hasTrailingComma = last != null && tokenLabels(inner).includes(',')
  const line = newline + unit.repeat(depth + 1) + added
  const tail = (hasTrailingComma ? ',' : '') + newline + unit.repeat(depth)
  return [
    // Both may be at the same place; the one that is made first ends up behind the other.
    { start: end, end: close, text: line + tail },
    ...(last && !hasTrailingComma ? [{ start: last.end - AHEAD, end: last.end - AHEAD, text: ',' }] : []),
  ]
}

function tokenLabels(text: string): string[] {
  return [...Parser.tokenizer(text, syntax)].map(({ type }) => type.label)
}

function written(value: Value, depth: number, { unit, newline }: Source): string {
  return writeJson(value, { unit, indent: unit.repeat(depth) }).replaceAll('\n', newline)
}

function requireMembers(value: Value): Members {
  if (!isMembers(value)) throw new Error('the file holds no object')
  return value
}
