import { lineCounter } from '../model/lines.ts'
import { reportUnparsable } from '../model/errors.ts'

/** Deepest nesting of elements. */
const MOST_LEVELS = 100
/** Most attributes of one element. */
const MOST_ATTRIBUTES = 200
/** Longest run of text where a report has elements only. */
const LONGEST_STRAY_TEXT = 65_536

export interface Tag {
  name: string
  /** Offset of its `<`. */
  start: number
  /** Offset behind its `>`. */
  end: number
}

export interface Visitor {
  /** An element begins; `parents` counts those around it. */
  open(tag: Tag, parents: number): void
  /** It ends; `end` is the offset behind it, `tag` the one given to open. */
  close(tag: Tag, end: number, parents: number): void
  /** Whether text belongs directly into this element. */
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
 * Walks the markup of a document and tells where elements begin and end, in memory that does not grow with it. Refuses
 * what no report needs and what is not well formed: a DOCTYPE (and with it every entity but XML's own), more than 100
 * levels, elements that are not closed, a second root. Characters that XML forbids are let through: terminals write them.
 */
export function scanXml(xml: string, visitor: Visitor): void {
  const lineAt = lineCounter(xml)
  const fail = (what: string, offset: number): never => {
    throw reportUnparsable('REPORT_FORMAT_JUNIT_XML', what, lineAt(offset))
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
  if (left !== undefined) fail('it ends before its elements are closed; it may have been cut off', xml.length)
  if (scan.roots === 0) fail('it has no element', 0)
}

/** Reads what begins at `<` and returns the offset behind it. */
function readMarkup(scan: Scan, at: number): number {
  const { xml, fail } = scan
  if (xml.startsWith('<!--', at)) return behind(scan, '-->', at + 4)
  if (xml.startsWith('<?', at)) return behind(scan, '?>', at + 2)
  if (xml.startsWith('<![CDATA[', at)) {
    const end = behind(scan, ']]>', at + 9)
    checkText(scan, at, end)
    return end
  }
  if (xml.startsWith('<!', at))
    fail('it declares a DOCTYPE, and reports with document types or entities are refused', at)
  return xml.startsWith('</', at) ? readEnd(scan, at) : readStart(scan, at)
}

function behind({ xml, fail }: Scan, mark: string, from: number): number {
  const at = xml.indexOf(mark, from)
  return at === -1 ? fail('it ends inside a comment, an instruction or a CDATA section', xml.length) : at + mark.length
}

function readEnd({ xml, open, visitor, fail }: Scan, at: number): number {
  const end = xml.indexOf('>', at)
  if (end === -1) fail('it ends inside a tag; it may have been cut off', xml.length)
  const tag = open.pop()
  if (tag === undefined || xml.slice(at + 2, end).trimEnd() !== tag.name) {
    return fail('an element is closed that is not the one last opened', at)
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
    fail('it has more than one root element; send reports that were joined as files of their own', at)
  }
  const end = endOfTag(scan, at + 1 + name.length)
  const tag = { name, start: at, end }
  visitor.open(tag, open.length)
  if (xml.charAt(end - 2) === '/') visitor.close(tag, end, open.length)
  else open.push(tag)
  return end
}

/** Offset behind the `>` of a start tag; a quoted value may hold one. */
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
  return fail('it ends inside a tag; it may have been cut off', xml.length)
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
    // White space, a byte order mark, and the zero bytes that pad a file.
    const char = xml.charCodeAt(at)
    if (char <= 0x20 || char === 0xfeff) continue
    fail(roots === 0 ? 'there is text before its first element' : 'there is text behind its last element', at)
  }
}
