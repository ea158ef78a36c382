import { XMLParser } from 'fast-xml-parser'
import { reportUnparsable } from '../model/errors.ts'
import type { ParsedReport } from '../model/report.ts'

/** An element of a report with its children as written. */
export interface XmlElement {
  name: string
  attributes: Record<string, string>
  /** The text between its tags, as written; '' when its children were read instead. */
  raw: string
  children: XmlElement[]
}

/** The report that an element is in, and its line there. */
export interface Where {
  format: ParsedReport['format']
  line: number
}

/** The longest attribute that is kept, in characters as written. */
const LONGEST_ATTRIBUTE = 100_000
const CONTENT = '#text'
const ATTRIBUTES = ':@'

// Entities are off: decodeContent decodes references and knows only the five entities of XML. Children stay unparsed
// text (stop nodes), so the parser's work is bounded by the tags of one case, whatever its output contains.
const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  allowBooleanAttributes: true,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  processEntities: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  stopNodes: ['*.*'],
  maxNestedTags: 4,
  jPath: false,
})

/**
 * Parses one well-formed element of a report: its attributes, decoded, and its children with their attributes and
 * unparsed content. Throws `REPORT_UNPARSABLE` for names that the parser rejects, such as `__proto__`.
 */
export function readElement(xml: string, { format, line }: Where): XmlElement {
  try {
    const [root] = toElements(parser.parse(xml))
    if (root !== undefined) return root
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause
  }
  throw reportUnparsable(format, 'one of its elements cannot be read', line)
}

/** The longest content of a child whose elements are parsed, in characters. */
const LONGEST_CONTENT = 1_000_000

/** The elements in the content of a child; none when the content is empty or too long. */
export function readChildren(element: XmlElement, where: Where): XmlElement[] {
  if (!element.raw.includes('<') || element.raw.length > LONGEST_CONTENT) return []
  return readElement(`<x>${element.raw}</x>`, where).children
}

type Node = Record<string, unknown>

function toElements(list: unknown): XmlElement[] {
  const elements: XmlElement[] = []
  for (const node of Array.isArray(list) ? list.filter(isNode) : []) {
    const name = Object.keys(node).find((key) => key !== ATTRIBUTES)
    if (name !== undefined && name !== CONTENT) elements.push(toElement(name, node))
  }
  return elements
}

function toElement(name: string, node: Node): XmlElement {
  const content: unknown = node[name]
  const only: unknown = Array.isArray(content) && content.length === 1 ? content[0] : undefined
  const raw = isNode(only) ? only[CONTENT] : undefined
  const children = typeof raw === 'string' ? [] : toElements(content)
  return { name, attributes: readAttributes(node[ATTRIBUTES]), raw: typeof raw === 'string' ? raw : '', children }
}

function readAttributes(value: unknown): Record<string, string> {
  const attributes: Record<string, string> = {}
  if (!isNode(value)) return attributes
  for (const [name, text] of Object.entries(value)) attributes[name] = decode(String(text).slice(0, LONGEST_ATTRIBUTE))
  return attributes
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null
}

/** Decodes content as written: CDATA stays as it is, references are decoded, comments and tags are dropped. */
export function decodeContent(raw: string, longest: number): string {
  let text = ''
  for (let at = 0; at < raw.length && text.length < longest;) {
    const next = raw.indexOf('<', at)
    const end = next === -1 ? raw.length : next
    // A reference uses up to ten characters for one.
    text += decode(raw.slice(at, Math.min(end, at + longest * 10)))
    if (next === -1) break
    const cdata = raw.startsWith('<![CDATA[', next)
    const mark = cdata ? ']]>' : raw.startsWith('<!--', next) ? '-->' : '>'
    const close = raw.indexOf(mark, next)
    if (close === -1) break
    if (cdata) text += raw.slice(next + 9, Math.min(close, next + 9 + longest))
    at = close + mark.length
  }
  return text.slice(0, longest)
}

const named: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** Decodes XML's five entities and character references; any other reference stays as written. */
function decode(text: string): string {
  if (!text.includes('&')) return text
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(lt|gt|amp|quot|apos));/giu,
    (written, decimal, hex, name) => {
      if (typeof name === 'string') return named[name] ?? written
      const code = typeof decimal === 'string' ? Number(decimal) : Number.parseInt(String(hex), 16)
      return code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? '\ufffd' : String.fromCodePoint(code)
    },
  )
}
