import { confirmModes, toolsets, type ConfirmMode } from '../../config-variables.ts'
import { isConfirmMode } from '../confirm/options.ts'
import type { SurfaceOptions } from '../define/define.ts'

/** The options of one request: the operator's, narrowed by its path and headers. */
export interface Scope {
  options: SurfaceOptions
  /** True if the request narrowed anything: its lists must not be shared with other requests. */
  narrowed: boolean
  /** The confirmations that the request accepts, if it says so. */
  confirm?: ConfirmMode | undefined
}

export interface Refusal {
  status: 400 | 404
  message: string
}

const NOT_FOUND: Refusal = {
  status: 404,
  message:
    'the MCP address is /mcp, optionally followed by /readonly, /x/<toolsets> and /p/<product>, each at most once',
}

/**
 * `/mcp`, `/mcp/readonly`, `/mcp/x/<set>[,<set>]`, `/mcp/p/<product>`, segments combined in any order, each at most once,
 * and the headers X-MCP-Toolsets, X-MCP-Readonly and X-MCP-Confirm. They can only narrow what the operator allows.
 */
export function parseScope(
  path: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  operator: SurfaceOptions,
): Scope | Refusal {
  const asked = readPath(path)
  if (asked === undefined) return NOT_FOUND
  const header = single(headers['x-mcp-toolsets'])
  const sets = [asked.sets, header === undefined ? undefined : names(header)].filter((list) => list !== undefined)
  const unknown = sets.flat().find((name) => name !== 'all' && !isToolset(name))
  if (unknown !== undefined) return { status: 400, message: `toolsets are ${toolsets.join(', ')} and all` }
  const confirm = single(headers['x-mcp-confirm'])?.trim()
  if (confirm !== undefined && !isConfirmMode(confirm)) {
    return { status: 400, message: `X-MCP-Confirm is one of ${confirmModes.join(', ')}` }
  }
  const product = asked.product
  if (product !== undefined && operator.product !== undefined && product !== operator.product) {
    return { status: 404, message: 'this server is pinned to another product' }
  }
  const onlyReads = readSwitch(single(headers['x-mcp-readonly']) ?? '')
  if (onlyReads === undefined) return { status: 400, message: 'X-MCP-Readonly is true or false' }
  const readOnly = asked.readOnly || onlyReads
  return {
    options: {
      ...operator,
      toolsets: sets.reduce(narrow, operator.toolsets),
      readOnly: operator.readOnly || readOnly,
      ...(product !== undefined && { product }),
    },
    narrowed: sets.length > 0 || readOnly || product !== undefined,
    confirm,
  }
}

/** Whether any value of the header says yes: it may come several times. Undefined for a word that says neither. */
function readSwitch(header: string): boolean | undefined {
  const values = names(header)
  if (!values.every((value) => /^(?:[01]|true|false|yes|no|on|off)$/i.test(value))) return undefined
  return values.some((value) => /^(?:1|true|yes|on)$/i.test(value))
}

interface Asked {
  sets?: readonly string[]
  readOnly: boolean
  product?: string
}

function readPath(path: string): Asked | undefined {
  const [empty, root, ...segments] = path.split('/')
  if (empty !== '' || root !== 'mcp') return undefined
  if (segments.at(-1) === '') segments.pop()
  const asked: Asked = { readOnly: false }
  const seen = new Set<string | undefined>()
  while (segments.length > 0) {
    const segment = segments.shift()
    // Two products contradict each other, and following one of them could write to the wrong one.
    if (seen.has(segment)) return undefined
    seen.add(segment)
    if (segment === 'readonly') {
      asked.readOnly = true
      continue
    }
    const value = decoded(segments.shift())
    if (value === undefined) return undefined
    if (segment === 'x') asked.sets = names(value)
    else if (segment === 'p') asked.product = value
    else return undefined
  }
  return asked
}

function decoded(segment: string | undefined): string | undefined {
  if (segment === undefined || segment === '') return undefined
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

function narrow(allowed: readonly string[], asked: readonly string[]): readonly string[] {
  if (asked.includes('all')) return allowed
  return allowed.includes('all') ? asked : allowed.filter((name) => asked.includes(name))
}

function names(list: string): string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

function isToolset(name: string): boolean {
  return toolsets.some((known) => known === name)
}

/** A header that came once or several times as one text. */
export function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(',') : header
}
