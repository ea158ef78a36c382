import { parseDocument, type Document } from 'yaml'
import type { Members, Path, Value } from './values.ts'

/** YAML as plain values; an empty text has no members. */
export function parseYaml(text: string): Members {
  const value = readDocument(text).toJS() as Value | null
  if (value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) throw new Error('the file holds no map')
  return value as Members
}

/** The text with the value at the path. Comments and order stay; the library writes all of it with one indentation. */
export function setInYaml(text: string, path: Path, value: Value): string {
  const document = readDocument(text)
  document.setIn(path, document.createNode(value))
  // Lists may begin under the first letter of their name, or further in.
  const indentSeq = !/^( *)[^\s#-][^\n]*:[ \t]*\n\1- /m.test(text)
  return document.toString({ lineWidth: 0, indentSeq })
}

function readDocument(text: string): Document.Parsed {
  const document = parseDocument(text)
  const [error] = document.errors
  if (error !== undefined) throw error
  return document
}
