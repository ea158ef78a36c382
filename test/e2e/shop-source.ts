import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { parse } from 'acorn'
import * as z from 'zod'

const shop = new URL('../../src/dev/sample-recorder/shop/', import.meta.url)

/** What the sample shop's own files say of a place in them. */
export interface Place {
  filename: string
  lineno: number
  colno: number
  function: string
  context_line: string
  pre_context: string[]
  post_context: string[]
}

const read = new Map<string, { lines: string[]; functions: Named[] }>()

/** The place of a 1-based position in a file such as `src/cart/cart.ts`, read from the shop's source and nothing else. */
export function placeIn(filename: string, lineno: number, colno: number): Place {
  const { lines, functions } = fileOf(filename)
  const at = lineno - 1
  return {
    filename,
    lineno,
    colno,
    function: nameAt(functions, { line: lineno, column: colno - 1 }),
    context_line: lines[at] ?? '',
    pre_context: lines.slice(Math.max(0, at - 5), at),
    post_context: lines.slice(at + 1, at + 6),
  }
}

function fileOf(filename: string) {
  const known = read.get(filename)
  if (known !== undefined) return known
  const text = readFileSync(new URL(filename.replace(/^src\//, ''), shop), 'utf8')
  const file = { lines: text.replace(/\n$/, '').split('\n'), functions: functionsOf(text) }
  read.set(filename, file)
  return file
}

interface Position {
  line: number
  column: number
}

interface Named {
  name: string
  start: Position
  end: Position
}

/** What is read of a syntax node. */
const Syntax = z.looseObject({
  type: z.string(),
  loc: z.object({ start: z.custom<Position>(), end: z.custom<Position>() }),
  id: z.object({ name: z.string().optional() }).nullish(),
  key: z.object({ type: z.string(), name: z.string().optional() }).optional(),
  kind: z.string().optional(),
})
type Syntax = z.output<typeof Syntax>

/** Every function of a TypeScript text with its name as V8 would print it; the types are blanked, so positions stay. */
function functionsOf(text: string): Named[] {
  const found: Named[] = []
  function walk(value: unknown, around: readonly Syntax[]): void {
    if (Array.isArray(value)) for (const each of value) walk(each, around)
    const { data: node } = Syntax.safeParse(value)
    if (node === undefined) return
    const path = [...around, node]
    if (/^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type))
      found.push({ name: nameOf(path), ...node.loc })
    for (const member of Object.values(node)) walk(member, path)
  }
  walk(parse(stripTypeScriptTypes(text), { ecmaVersion: 'latest', sourceType: 'module', locations: true }), [])
  return found
}

/** Of the last of the nodes, a function: its own name, else that of what it is the value of. */
function nameOf(path: readonly Syntax[]): string {
  const [own, holder, type] = [path.at(-1), path.at(-2), path.at(-4)]
  if (own?.id?.name !== undefined) return own.id.name
  const key = holder?.key?.name ?? ''
  if (holder?.type === 'MethodDefinition') {
    const owner = type?.id?.name ?? ''
    if (holder.kind === 'constructor') return `new ${owner}`
    return `${owner}.${holder.key?.type === 'PrivateIdentifier' ? '#' : ''}${key}`
  }
  if (holder?.type === 'Property') return key
  return (holder?.type === 'VariableDeclarator' && holder.id?.name) || '<anonymous>'
}

/** The innermost function around a position; outside of all, V8 has no name either. */
function nameAt(functions: readonly Named[], position: Position): string {
  const around = functions.filter(({ start, end }) => !isBefore(position, start) && isBefore(position, end))
  const [innermost] = around.toSorted((left, right) => (isBefore(left.start, right.start) ? 1 : -1))
  return innermost?.name ?? '<anonymous>'
}

function isBefore(left: Position, right: Position): boolean {
  return left.line < right.line || (left.line === right.line && left.column < right.column)
}
