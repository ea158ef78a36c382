import type {
  AnyNode,
  ArrowFunctionExpression,
  AssignmentProperty,
  Class,
  Expression,
  FunctionDeclaration,
  FunctionExpression,
  PrivateIdentifier,
  Property,
  PropertyDefinition,
  Statement,
} from 'acorn'
import { MinifiedDefect } from './defect.ts'
import { eachStatement } from './each-statement.ts'
import { NAMELESS, assignedPath, tokenOfKey, tokenOfName, type FoundPath, type FoundToken } from './name-tokens.ts'

export type FunctionKind =
  | 'function'
  | 'arrow'
  | 'method'
  | 'getter'
  | 'setter'
  | 'constructor'
  /** The initialisers of instance fields, and those of static fields with the static blocks: V8 runs them as functions. */
  | 'fields'
  | 'static fields'

/** The owner of a member: a class, or a function that is called with `new`. */
export interface FoundOwner {
  start: number
  path: FoundToken[]
  isClass: boolean
}

/** A function of the text; offsets in UTF-16 units, `end` exclusive. */
export interface FoundFunction {
  start: number
  end: number
  kind: FunctionKind
  isStatic: boolean
  isAsync: boolean
  /** The tokens of its name: an identifier, or the names from an object to its member. */
  path: FoundToken[]
  owner: FoundOwner | undefined
}

/**
 * Every function of a JavaScript text, outer ones before inner ones, ordered by where they start. Throws MinifiedDefect
 * when the text is not JavaScript or nests too deeply to be read.
 */
export function findFunctions(input: string): FoundFunction[] {
  try {
    return read(input, 'module')
  } catch (error) {
    if (error instanceof MinifiedDefect) throw error
  }
  try {
    return read(input, 'script')
  } catch (error) {
    throw toDefect(error)
  }
}

function toDefect(error: unknown): unknown {
  if (error instanceof RangeError) return new MinifiedDefect('The code nests too deeply to be read.')
  if (!(error instanceof SyntaxError) || !('pos' in error)) return error
  return new MinifiedDefect(`The file is not JavaScript: the parser stopped at character ${Number(error.pos) + 1}.`)
}

function read(input: string, sourceType: 'module' | 'script'): FoundFunction[] {
  const finder = new Finder(input)
  eachStatement(input, sourceType, (statement) => finder.visit(statement))
  return finder.finish()
}

/** A node that is not visited yet, and the name that a function or class would get in its place. */
interface Waiting {
  node: AnyNode
  path: FoundPath
}

class Finder {
  readonly #input: string
  readonly #functions: FoundFunction[] = []
  /** Functions assigned to a member of `this`: their owner is that of the function around them. */
  readonly #ofThis = new Set<FoundFunction>()
  readonly #waiting: Waiting[] = []

  constructor(input: string) {
    this.#input = input
  }

  /** Minified code nests deeper than the stack allows, so the nodes below a node are put in a list. */
  visit(statement: Statement): void {
    this.#waiting.length = 0
    this.#wait(statement)
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) this.#enter(next)
  }

  finish(): FoundFunction[] {
    // Of two functions with the same start, the longer one encloses the other.
    this.#functions.sort((a, b) => a.start - b.start || b.end - a.end)
    const around: FoundFunction[] = []
    const owners = new Map<FoundFunction, FoundOwner>()
    for (const found of this.#functions) {
      while ((around.at(-1)?.end ?? Infinity) <= found.start) around.pop()
      if (this.#ofThis.has(found)) found.owner = ownerOfThis(around, owners)
      around.push(found)
    }
    return this.#functions
  }

  #wait(node: AnyNode | null | undefined, path: FoundPath = NAMELESS): void {
    if (node !== null && node !== undefined) this.#waiting.push({ node, path })
  }

  #enter({ node, path }: Waiting): void {
    if (isFunction(node)) {
      this.#function(node, node.id ? { tokens: [tokenOfName(node.id)], ofThis: false } : path)
    } else if (node.type === 'ClassDeclaration' || node.type === 'ClassExpression') {
      this.#class(node, node.id ? [tokenOfName(node.id)] : path.tokens)
    } else if (node.type === 'Property') {
      this.#property(node)
    } else if (node.type === 'VariableDeclarator') {
      this.#wait(node.id)
      this.#wait(node.init, assignedPath(node.id))
    } else if (node.type === 'AssignmentExpression' || node.type === 'AssignmentPattern') {
      this.#wait(node.left)
      this.#wait(node.right, assignedPath(node.left))
    } else if (node.type === 'ExportDefaultDeclaration') {
      this.#wait(node.declaration, { tokens: [{ offset: node.start, text: 'default', kind: 'key' }], ofThis: false })
    } else if (path.tokens.length === 0 || !this.#passOn(node, path)) {
      for (const child of eachChild(node)) this.#wait(child)
    }
  }

  /** V8 names a function after the target of an assignment, also when it is only a part of the assigned expression. */
  #passOn(node: AnyNode, path: FoundPath): boolean {
    if (node.type === 'ConditionalExpression') {
      this.#wait(node.test)
      this.#wait(node.consequent, path)
      this.#wait(node.alternate, path)
    } else if (node.type === 'LogicalExpression') {
      this.#wait(node.left)
      // Such an arrow is in brackets, and V8 does not name those.
      this.#wait(node.right, node.right.type === 'ArrowFunctionExpression' ? NAMELESS : path)
    } else if (node.type === 'SequenceExpression') {
      for (const expression of node.expressions.slice(0, -1)) this.#wait(expression)
      this.#wait(node.expressions.at(-1), path)
    } else if (node.type === 'ArrayExpression') {
      for (const element of node.elements) this.#wait(element, path)
    } else {
      return false
    }
    return true
  }

  #property(node: Property | AssignmentProperty): void {
    if (node.computed) this.#wait(node.key)
    if (node.value.type === 'FunctionExpression' && (node.method || node.kind !== 'init')) {
      this.#method(node.value, node.kind, this.#key(node))
    } else {
      this.#wait(node.value, { tokens: this.#key(node), ofThis: false })
    }
  }

  #function(node: FunctionNode, path: FoundPath, member: Partial<FoundFunction> = {}): void {
    const kind: FunctionKind = node.type === 'ArrowFunctionExpression' ? 'arrow' : 'function'
    const found = this.#add(node, { kind, path: path.tokens, isAsync: node.async, ...member })
    if (path.ofThis) this.#ofThis.add(found)
    for (const parameter of node.params) this.#wait(parameter)
    if (node.body.type !== 'BlockStatement') this.#wait(node.body)
  }

  #method(node: FunctionNode, kind: string, key: FoundToken[], member: Partial<FoundFunction> = {}): void {
    this.#function(node, { tokens: key, ofThis: false }, { ...member, kind: methodKind(kind) })
  }

  #class(node: Class, path: FoundToken[]): void {
    const owner = { start: node.start, path, isClass: true }
    this.#wait(node.superClass)
    let implicit = true
    for (const element of node.body.body) {
      if (element.type === 'StaticBlock') {
        this.#add(element, { kind: 'static fields', owner, isStatic: true })
        continue
      }
      if (element.computed) this.#wait(element.key)
      if (element.type === 'PropertyDefinition') {
        this.#field(element, owner)
      } else {
        const isConstructor = element.kind === 'constructor'
        if (isConstructor) implicit = false
        const key = isConstructor ? [] : this.#key(element)
        this.#method(element.value, element.kind, key, { owner, isStatic: element.static })
      }
    }
    // V8 reports an implicit constructor at the word `class`.
    if (implicit) this.#add({ start: node.start, end: node.start + 'class'.length }, { kind: 'constructor', owner })
  }

  #field(element: PropertyDefinition, owner: FoundOwner): void {
    const { value } = element
    if (value === null || value === undefined) return
    const path = { tokens: this.#key(element), ofThis: false }
    const member = { owner, isStatic: element.static }
    if (isFunction(value)) {
      const own = value.id ? [tokenOfName(value.id)] : path.tokens
      return this.#function(value, { tokens: own, ofThis: false }, member)
    }
    this.#add(value, { kind: element.static ? 'static fields' : 'fields', ...member })
    this.#wait(value, path)
  }

  #key(node: { key: Expression | PrivateIdentifier; computed: boolean }): FoundToken[] {
    const token = tokenOfKey(node.key, node.computed, this.#input)
    return token === undefined ? [] : [token]
  }

  #add(range: { start: number; end: number }, known: Partial<FoundFunction> & { kind: FunctionKind }): FoundFunction {
    const { start, end } = range
    const found: FoundFunction = { start, end, isStatic: false, isAsync: false, path: [], owner: undefined, ...known }
    this.#functions.push(found)
    return found
  }
}

function methodKind(kind: string): FunctionKind {
  if (kind === 'get') return 'getter'
  if (kind === 'set') return 'setter'
  return kind === 'constructor' ? 'constructor' : 'method'
}

/** The owner of `this` in the innermost of the functions: an arrow has that of the function around it. */
function ownerOfThis(around: readonly FoundFunction[], owners: Map<FoundFunction, FoundOwner>): FoundOwner | undefined {
  const found = around.findLast((each) => each.kind !== 'arrow')
  if (found === undefined) return undefined
  if (found.owner !== undefined || found.kind !== 'function' || found.path.length === 0) return found.owner
  const owner = owners.get(found) ?? { start: found.start, path: found.path, isClass: false }
  owners.set(found, owner)
  return owner
}

/**
 * The nodes below a node that were not visited as statements. The head of a `for` is the only declaration that is not a
 * statement; what `export default` declares is entered with its name.
 */
function* eachChild(node: AnyNode): Generator<AnyNode> {
  for (const [key, value] of Object.entries(node) as [string, unknown][]) {
    if (key === 'consequent' && node.type === 'SwitchCase') continue
    if (Array.isArray(value)) yield* value.filter(isPart)
    else if (isPart(value) || (isNode(value) && node.type.startsWith('For') && (key === 'init' || key === 'left'))) {
      yield value
    }
  }
}

function isPart(value: unknown): value is AnyNode {
  return isNode(value) && !value.type.endsWith('Statement') && !value.type.endsWith('Declaration')
}

type FunctionNode = FunctionDeclaration | FunctionExpression | ArrowFunctionExpression

function isFunction(node: AnyNode): node is FunctionNode {
  return (
    node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression'
  )
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value
}
