import { lineCounter } from '../model/lines.ts'
import { reportUnparsable } from '../model/errors.ts'
import type { ParsedReport } from '../model/report.ts'

/** The deepest nesting of elements. */
const MOST_LEVELS = 100
/** The most attributes of one element. */
const MOST_ATTRIBUTES = 200
/** The longest run of text where a report only has elements. */
const LONGEST_STRAY_TEXT = 65_536

export interface Tag {
  name: string
  /** Offset of the `<`. */
  start: number
  /** Offset after the `>`. */
  end: number
}

export interface Visitor {
  /** Called when an element starts; `parents` counts the elements around it. */
  open(tag: Tag, parents: number): void
  /** Called when it ends; `end` is the offset after it, `tag` the one passed to open. */
  close(tag: Tag, end: number, parents: number): void
  /** Whether this element may directly contain text. */
  holdsText(name: string, parents: number): boolean
}

interface Scan {
  xml: string
  open: Tag[]
  visitor: Visitor
  roots: number
  fail: (what: string, offset: number) => never
}

/**
 * Walks the markup of a document and reports where elements start and end, in memory that does not grow with it.
 * Rejects markup that is not well formed or that no report needs: a DOCTYPE (and with it every custom entity), more
 * than 100 levels, unclosed elements, a second root. Characters that XML forbids are allowed: terminal output contains
 * them.
 */
export function scanXml(xml: string, format: ParsedReport['format'], visitor: Visitor): void {
  const lineAt = lineCounter(xml)
  const fail = (what: string, offset: number): never => {
    throw reportUnparsable(format, what, lineAt(offset))
  }
  const scan: Scan = { xml, open: [], visitor, roots: 0, fail }
  let at = 0
  while (at < xml.length) {
    const next = xml.indexOf('<', at)
    checkText(scan, at, next === -1 ? xml.length : next)
    if (next === -1) break
    at = readMarkup(scan, next)
  }
  const left = scan.open.at(-1)
  if (left !== undefined) fail('it ends before its elements are closed; it may be truncated', xml.length)
  if (scan.roots === 0) fail('it has no element', 0)
}

/** Reads the markup that starts at `<` and returns the offset after it. */
function readMarkup(scan: Scan, at: number): number {
  const { xml, fail } = scan
  if (xml.startsWith('<!--', at)) return endAfter(scan, '-->', at + 4)
  if (xml.startsWith('<?', at)) return endAfter(scan, '?>', at + 2)
  if (xml.startsWith('<![CDATA[', at)) {
    const end = endAfter(scan, ']]>', at + 9)
    checkText(scan, at, end)
    return end
  }
  if (xml.startsWith('<!', at))
    fail('it declares a DOCTYPE; reports with document types or entities are not accepted', at)
  return xml.startsWith('</', at) ? readEnd(scan, at) : readStart(scan, at)
}

function endAfter({ xml, fail }: Scan, mark: string, from: number): number {
  const at = xml.indexOf(mark, from)
  return at === -1 ? fail('it ends inside a comment, an instruction or a CDATA section', xml.length) : at + mark.length
}

function readEnd({ xml, open, visitor, fail }: Scan, at: number): number {
  const end = xml.indexOf('>', at)
  if (end === -1) fail('it ends inside a tag; it may be truncated', xml.length)
  const tag = open.pop()
  if (tag === undefined || xml.slice(at + 2, end).trimEnd() !== tag.name) {
    return fail('a closing tag does not match the element that was opened last', at)
  }
  visitor.close(tag, end + 1, open.length)
  return end + 1
}

const NAME = /[^\s/>=<"'&!?]+/uy

function readStart(scan: Scan, at: number): number {
  const { xml, open, visitor, fail } = scan
  NAME.lastIndex = at + 1
  const name = NAME.exec(xml)?.[0]
  if (name === undefined) return fail('a "<" is not followed by the name of an element', at)
  if (open.length >= MOST_LEVELS) fail(`its elements are nested more than ${String(MOST_LEVELS)} levels deep`, at)
  if (open.length === 0 && (scan.roots += 1) > 1) {
    fail('it has more than one root element; send concatenated reports as separate files', at)
  }
  const end = endOfTag(scan, at + 1 + name.length)
  const tag = { name, start: at, end }
  visitor.open(tag, open.length)
  if (xml.charAt(end - 2) === '/') visitor.close(tag, end, open.length)
  else open.push(tag)
  return end
}

/** The offset after the `>` of a start tag; quoted values may contain `>`. */
function endOfTag({ xml, fail }: Scan, from: number): number {
  const start = from
  let values = 0
  for (let at = from; at < xml.length; at++) {
    const char = xml.charCodeAt(at)
    if (char === 0x3e /* > */) return at + 1
    if (char === 0x3c /* < */) return fail('a tag is not closed', start)
    if (char !== 0x22 /* " */ && char !== 0x27 /* ' */) continue
    at = xml.indexOf(xml.charAt(at), at + 1)
    if (at === -1) break
    if ((values += 1) > MOST_ATTRIBUTES) fail(`an element has more than ${String(MOST_ATTRIBUTES)} attributes`, start)
  }
  return fail('it ends inside a tag; it may be truncated', xml.length)
}

function checkText({ xml, open, visitor, roots, fail }: Scan, from: number, to: number): void {
  const inside = open.at(-1)
  if (inside !== undefined) {
    if (to - from > LONGEST_STRAY_TEXT && !visitor.holdsText(inside.name, open.length)) {
      fail('it has long text where only elements belong', from)
    }
    return
  }
  for (let at = from; at < to; at++) {
    // White space, a byte order mark and the zero bytes that pad a file are allowed.
    const char = xml.charCodeAt(at)
    if (char <= 0x20 || char === 0xfeff) continue
    fail(roots === 0 ? 'there is text before its first element' : 'there is text after its last element', at)
  }
}
