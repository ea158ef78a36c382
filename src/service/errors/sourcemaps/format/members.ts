import type { JsonObject } from '../../../../lib/objects.ts'
import { SourceMapDefect, type DefectRule } from './defect.ts'

/** The members of a map without sections, checked, `sourceRoot` joined to the sources. */
export interface RegularMap {
  sources: (string | null)[]
  sourcesContent: (string | null)[]
  ignored: number[]
  names: string[]
  mappings: string
}

/**
 * Reads a map without sections (ECMA-426 DecodeSourceMap); `at` is the prefix of members in messages: '' or
 * 'sections[1].map.'. What the standard calls an optional error is an error here, except null for `file` and
 * `sourceRoot`, which counts as absent. Unknown members, including proposals, are ignored.
 */
export function readRegularMap(json: JsonObject, at: string): RegularMap {
  checkVersion(json, at)
  const mappings = json['mappings']
  if (typeof mappings !== 'string') throw wrong('mappings', `${at}mappings`, mappings, 'a string')
  readText(json, 'file', at)
  const sources = list(json, 'sources', at, stringsAndNulls)
  const sourcesContent = optionalList(json, 'sourcesContent', at, stringsAndNulls)
  return {
    mappings,
    sources: withRoot(readText(json, 'sourceRoot', at), sources),
    sourcesContent: sources.map((_, source) => sourcesContent[source] ?? null),
    names: optionalList(json, 'names', at, strings),
    ignored: readIgnored(json, at, sources.length),
  }
}

/** Throws unless `version` is the number 3. */
export function checkVersion(json: JsonObject, at: string): void {
  const version = json['version']
  if (version !== 3) throw wrong('version', `${at}version`, version, 'the number 3')
}

const rules = {
  file: 'file',
  sourceRoot: 'source-root',
  sources: 'sources',
  sourcesContent: 'sources-content',
  names: 'names',
  ignoreList: 'ignore-list',
  x_google_ignoreList: 'ignore-list',
} satisfies Record<string, DefectRule>

/** The string member, '' when it is absent or null. */
export function readText(json: JsonObject, member: 'file' | 'sourceRoot', at: string): string {
  const value = json[member] ?? ''
  if (typeof value !== 'string') throw wrong(rules[member], at + member, value, 'a string')
  return value
}

/** The required type of a list's items, and its name in messages. */
interface Items<T> {
  is: (item: unknown) => item is T
  one: string
  many: string
}

const strings: Items<string> = {
  is: (item) => typeof item === 'string',
  one: 'a string',
  many: 'a list of strings',
}
const stringsAndNulls: Items<string | null> = {
  is: (item) => item === null || typeof item === 'string',
  one: 'a string or null',
  many: 'a list of strings and nulls',
}
const indices: Items<number | null> = {
  // A null means no index (GetOptionalListOfArrayIndexes).
  is: (item): item is number | null => item === null || (Number.isInteger(item) && Number(item) >= 0),
  one: 'a whole number from 0',
  many: 'a list of indices of sources',
}

function list<T>(json: JsonObject, member: keyof typeof rules, at: string, { is, one, many }: Items<T>): T[] {
  const values = json[member]
  if (!Array.isArray(values)) throw wrong(rules[member], at + member, values, many)
  const items: unknown[] = values
  if (items.every(is)) return items
  const bad = items.findIndex((item) => !is(item))
  throw wrong(rules[member], `${at}${member}[${bad}]`, items[bad], one)
}

function optionalList<T>(json: JsonObject, member: keyof typeof rules, at: string, items: Items<T>): T[] {
  return json[member] === undefined ? [] : list(json, member, at, items)
}

function readIgnored(json: JsonObject, at: string, sources: number): number[] {
  const member = json['ignoreList'] === undefined ? 'x_google_ignoreList' : 'ignoreList'
  const ignored = optionalList(json, member, at, indices)
  const past = ignored.findIndex((source) => source !== null && source >= sources)
  if (past < 0) return ignored.filter((source) => source !== null)
  throw new SourceMapDefect('ignore-list', `${at}${member}[${past}] is past the end of the ${sources} sources.`)
}

/** Puts `sourceRoot` before each source that is not absolute, as every consumer of maps does. */
function withRoot(root: string, sources: (string | null)[]): (string | null)[] {
  if (root === '') return sources
  const prefix = root.endsWith('/') ? root : `${root}/`
  return sources.map((source) => (source === null || isAbsolute(source) ? source : prefix + source))
}

function isAbsolute(source: string): boolean {
  return source.startsWith('/') || /^[a-z][a-z0-9+.-]*:\/\//i.test(source)
}

/** "names must be a list of strings, but is an object." */
export function wrong(rule: DefectRule, member: string, value: unknown, expected: string): SourceMapDefect {
  return new SourceMapDefect(rule, `${member} must be ${expected}, but is ${describeKind(value)}.`)
}

function describeKind(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  if (typeof value === 'number') return Number.isFinite(value) ? `the number ${value}` : 'too large a number'
  return typeof value === 'string' ? 'a string' : `a ${typeof value}`
}
