import { Parser, type AnyNode, type Expression, type Options, type Program, type Statement } from 'acorn'
import { MinifiedDefect } from './defect.ts'

/** Methods that acorn keeps for its plugins and leaves out of its types. */
interface PluginMethods {
  parse(): Program
  parseStatement(context: string | null, topLevel?: boolean, exports?: object): Statement
  parseExprOp(left: Expression, start: number, location: unknown, precedence: number, forInit: unknown): Expression
  buildBinary(
    start: number,
    location: unknown,
    left: Expression,
    right: Expression,
    operator: string,
    logical: boolean,
  ): Expression
  finishNode(node: AnyNode, type: string): AnyNode
  raiseRecoverable(position: number, message: string): void
}

// acorn declares the constructor as protected; its `extend` hands the same class to plugins.
const Base = Parser as unknown as new (options: Options, input: string) => PluginMethods

/** Replaces every visited statement, so that the tree of a whole bundle is never in memory at once. */
const VISITED: Statement = Object.freeze({ type: 'EmptyStatement', start: 0, end: 0 })

/** More than the largest bundles have; a file beyond it was written to exhaust memory. */
const MAX_FUNCTIONS = 500_000

const LENIENT = {
  ecmaVersion: 'latest',
  allowHashBang: true,
  allowReserved: true,
  allowReturnOutsideFunction: true,
  allowAwaitOutsideFunction: true,
  allowImportExportEverywhere: true,
  allowSuperOutsideMethod: true,
  checkPrivateFields: false,
} as const satisfies Options

/**
 * Parses JavaScript and calls back for each statement as soon as it is read, the inner ones before the ones around
 * them: at its visit a statement has its expressions, patterns and classes, but no longer its inner statements. Data is
 * left out of object and array literals. Throws what acorn throws (SyntaxError with `pos`), RangeError when the
 * text nests too deeply, and MinifiedDefect when it has more than half a million functions.
 */
export function eachStatement(
  input: string,
  sourceType: 'module' | 'script',
  visit: (statement: Statement) => void,
): void {
  new StatementParser({ ...LENIENT, sourceType }, input, visit).parse()
}

class StatementParser extends Base {
  readonly #visit: (statement: Statement) => void
  #built: AnyNode | undefined
  #functions = 0

  constructor(options: Options, input: string, visit: (statement: Statement) => void) {
    super(options, input)
    this.#visit = visit
  }

  override parseStatement(context: string | null, topLevel?: boolean, exports?: object): Statement {
    const statement = super.parseStatement(context, topLevel, exports)
    this.#visit(statement)
    return spent(statement)
  }

  /**
   * acorn parses the rest of `a + b + c …` by recursion, which overflows the stack at about ten thousand operands. Here
   * the recursive call returns at once, and a loop continues instead.
   */
  override parseExprOp(left: Expression, start: number, location: unknown, precedence: number, forInit: unknown) {
    if (left === this.#built) {
      this.#built = undefined
      return left
    }
    for (let expression = left; ;) {
      const next = super.parseExprOp(expression, start, location, precedence, forInit)
      if (next === expression) return expression
      expression = next
    }
  }

  override buildBinary(
    start: number,
    location: unknown,
    left: Expression,
    right: Expression,
    operator: string,
    logical: boolean,
  ): Expression {
    const built = super.buildBinary(start, location, left, right, operator, logical)
    // The operand of `**` is built by the caller of parseExprOp, which then passes it on as a first operand.
    if (operator !== '**') this.#built = built
    return built
  }

  override finishNode(started: AnyNode, type: string): AnyNode {
    const node = super.finishNode(started, type)
    if (node.type === 'ArrayExpression') node.elements = node.elements.filter((element) => element && !isData(element))
    else if (node.type === 'ObjectExpression') node.properties = node.properties.filter((property) => !isData(property))
    else if (type.includes('Function') && ++this.#functions > MAX_FUNCTIONS) {
      throw new MinifiedDefect(`The file has more than ${MAX_FUNCTIONS} functions.`)
    }
    return node
  }

  /** Breaking a rule that leaves the structure clear (a name declared twice, an undeclared export) is not an error here. */
  override raiseRecoverable(): void {}
}

/** Bundles contain megabytes of literals; the tree stays small without those that contain no function. */
function isData(node: AnyNode): boolean {
  if (node.type === 'Property') return !node.computed && isData(node.value)
  if (node.type === 'ArrayExpression') return node.elements.length === 0
  return node.type === 'Literal' || (node.type === 'ObjectExpression' && node.properties.length === 0)
}

/** Keeps only what acorn still reads of a finished statement: the names that an `export` before it declares. */
function spent(statement: Statement): Statement {
  if (statement.type === 'VariableDeclaration') for (const declarator of statement.declarations) declarator.init = null
  else if (statement.type === 'FunctionDeclaration') statement.body.body = []
  else if (statement.type === 'ClassDeclaration') statement.body.body = []
  else return VISITED
  return statement
}
