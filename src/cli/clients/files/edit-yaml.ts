import { isScalar, parseDocument, type Document } from 'yaml'
import { isMembers, nested, type Members, type Path, type Value } from './values.ts'

/** YAML as plain values; an empty text has no members. */
export function parseYaml(text: string): Members {
  const value = readDocument(text).toJS() as Value | null
  if (value === null) return {}
  if (!isMembers(value)) throw new Error('the file holds no map')
  return value
}

/** The text with the value at the path. Comments and order stay; the library writes all of it with one indentation. */
export function setInYaml(text: string, path: Path, value: Value): string {
  const document = readDocument(text)
  // `extensions:` with nothing behind it is null, which takes no members.
  const empty = path.findIndex((_, index) => index > 0 && document.getIn(path.slice(0, index)) === null)
  const [outer, inner] = empty === -1 ? [path, []] : [path.slice(0, empty), path.slice(empty)]
  const made = document.createNode(nested(inner, value))
  const there = document.getIn(outer, true)
  // Members that are commented out belong to the empty value.
  if (isScalar(there) && there.value === null) made.commentBefore = there.comment
  document.setIn(outer, made)
  // Lists may begin under the first letter of their name, or further in.
  const indentSeq = !/^( *)[^\s#-][^\n]*:[ \t]*\n\1- /m.test(text)
  const edited = document.toString({ lineWidth: 0, indentSeq })
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  return mark + (text.includes('\r\n') ? edited.replaceAll(/\r?\n/g, '\r\n') : edited)
}

function readDocument(text: string): Document.Parsed {
  const document = parseDocument(text)
  const [error] = document.errors
  if (error !== undefined) throw error
  return document
}
