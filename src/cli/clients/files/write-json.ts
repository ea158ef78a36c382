import type { Value } from './values.ts'

/** JSON with a member on each line and lists of words on one, as people write it; `indent` is that of the line it begins on. */
export function writeJson(value: Value, { unit = '  ', indent = '' } = {}): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = { unit, indent: indent + unit }
  if (Array.isArray(value)) {
    const elements = (value as readonly Value[]).map((element) => writeJson(element, inner))
    const isFlat = !value.some((element) => typeof element === 'object')
    return isFlat ? `[${elements.join(', ')}]` : lines('[', elements, ']', inner.indent, indent)
  }
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${writeJson(member as Value, inner)}`,
  )
  return members.length === 0 ? '{}' : lines('{', members, '}', inner.indent, indent)
}

function lines(open: string, inside: readonly string[], close: string, inner: string, outer: string): string {
  return `${open}\n${inner}${inside.join(`,\n${inner}`)}\n${outer}${close}`
}
