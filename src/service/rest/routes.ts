import { pathParameters } from '../../contract/base/endpoint.ts'
import { ServiceError } from '../../errors.ts'

export interface Match<T> {
  /** The target of the method; undefined when the path is known only with other methods. */
  target: T | undefined
  /** Values of the path parameters, decoded. */
  parameters: Record<string, string>
}

interface Pattern<T> {
  segments: readonly Segment[]
  methods: Map<string, { target: T; names: readonly string[] }>
}

/** `products`, `{id}`, `{id}:setStatus` or `issues:bulkSetStatus`; a parameter takes the part before the verb. */
type Segment = { literal: string } | { suffix: string }

/**
 * Compiles path templates; the returned function finds the one of a raw (still encoded) path. Literals win over
 * parameters. Throws `invalid_argument` for a path value that cannot be an id.
 */
export function compileRoutes<T>(routes: Iterable<readonly [method: string, path: string, target: T]>) {
  const byCount = new Map<number, Pattern<T>[]>()
  const byShape = new Map<string, Pattern<T>>()
  for (const [method, path, target] of routes) {
    const shape = path.replaceAll(/\{\w+\}/g, '{}')
    const pattern = byShape.get(shape) ?? { segments: shape.split('/').map(parseSegment), methods: new Map() }
    pattern.methods.set(method, { target, names: pathParameters(path) })
    if (byShape.has(shape)) continue
    byShape.set(shape, pattern)
    const siblings = byCount.get(pattern.segments.length)
    if (siblings === undefined) byCount.set(pattern.segments.length, [pattern])
    else siblings.push(pattern)
  }
  for (const siblings of byCount.values()) siblings.sort(byParameters)

  return function match(method: string, path: string): Match<T> | undefined {
    const parts = withVerb(path).split('/')
    for (const pattern of byCount.get(parts.length) ?? []) {
      const raw = captureValues(pattern.segments, parts)
      if (raw === undefined) continue
      const found = pattern.methods.get(method)
      if (found === undefined) return { target: undefined, parameters: {} }
      const parameters: Record<string, string> = {}
      for (const [index, name] of found.names.entries()) parameters[name] = decodeValue(name, raw[index] ?? '')
      return { target: found.target, parameters }
    }
    return undefined
  }
}

/** The path with an encoded colon before the verb at its end decoded: clients encode `:setStatus` as `%3AsetStatus`. */
function withVerb(path: string): string {
  return path.replace(/%3A(?=[A-Za-z]+$)/i, ':')
}

function parseSegment(text: string): Segment {
  return text.startsWith('{}') ? { suffix: text.slice(2) } : { literal: text }
}

function byParameters(a: Pattern<unknown>, b: Pattern<unknown>): number {
  const weight = (pattern: Pattern<unknown>) =>
    pattern.segments.map((segment) => ('literal' in segment ? 0 : segment.suffix === '' ? 2 : 1)).join('')
  return weight(a) < weight(b) ? -1 : 1
}

/** The raw values of the parameters when the parts fit the pattern. */
function captureValues(segments: readonly Segment[], parts: readonly string[]): string[] | undefined {
  const values: string[] = []
  for (const [index, segment] of segments.entries()) {
    const part = parts[index] ?? ''
    if ('literal' in segment) {
      if (part !== segment.literal) return undefined
      continue
    }
    if (!part.endsWith(segment.suffix)) return undefined
    const value = part.slice(0, part.length - segment.suffix.length)
    // An unencoded colon introduces a verb; a colon in a value arrives encoded.
    if (value === '' || value.includes(':')) return undefined
    values.push(value)
  }
  return values
}

/** Decodes once. Dots and slashes are refused: the next hop that normalises paths would read another path. */
function decodeValue(name: string, raw: string): string {
  let value: string
  try {
    value = decodeURIComponent(raw)
  } catch (cause) {
    throw invalidValue(name, 'is not valid percent-encoding', cause)
  }
  if (value === '.' || value === '..') throw invalidValue(name, 'must not be "." or ".."')
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  if (/[/\\\u0000-\u001f\u007f]/.test(value)) throw invalidValue(name, 'must not contain slashes or control characters')
  return value
}

function invalidValue(field: string, description: string, cause?: unknown): ServiceError {
  return new ServiceError('invalid_argument', `${field} in the path ${description}`, {
    reason: 'FIELD_INVALID',
    violations: [{ field, description }],
    cause,
  })
}
