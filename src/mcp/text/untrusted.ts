import { Untrusted } from '../../contract/base/text.ts'
import { cutTo, inOneLine } from '../../lib/outside-text/clean.ts'
import { isAlarmingText } from '../../lib/outside-text/alarming-text.ts'
import { longestRead, safeText } from './safe-text.ts'
import { withoutMarkers } from './team.ts'

/** A piece of a passage: outsiders' text, or our own words. */
export type PassagePart = Untrusted<unknown> | string | number | undefined

/** A passage for the untrusted block, composed of outsiders' text and fixed words; only `openBlock` reads it. */
export class Quoted {
  readonly parts: readonly PassagePart[]
  readonly max: number
  readonly manyLines: boolean
  readonly isAside: boolean

  constructor(parts: readonly PassagePart[], max: number, manyLines: boolean, isAside = false) {
    this.parts = parts
    this.max = max
    this.manyLines = manyLines
    this.isAside = isAside
  }

  /** At most `max` characters. */
  cut(max: number): Quoted {
    return new Quoted(this.parts, max, this.manyLines, this.isAside)
  }

  /** Keeps newlines; by default a passage is one line. */
  keepLines(): Quoted {
    return new Quoted(this.parts, this.max, true, this.isAside)
  }

  /** About another thing than the result is, such as a related issue: withheld if it looks like instructions. */
  aside(): Quoted {
    return new Quoted(this.parts, this.max, this.manyLines, true)
  }
}

/** Quotes outsiders' text: quoted`${frame.function} in ${frame.filename}`, one line of at most 300 characters. */
export function quoted(words: readonly string[], ...texts: readonly PassagePart[]): Quoted {
  return new Quoted(
    words.flatMap((word, index) => [word, texts[index]]),
    300,
    false,
  )
}

/** Structured data of outsiders for the untrusted block, its strings cut to `max` characters; only `openBlock` reads it. */
export class QuotedData {
  readonly value: Untrusted<unknown>
  readonly max: number

  constructor(value: Untrusted<unknown>, max: number) {
    this.value = value
    this.max = max
  }
}

/** Quotes outsiders' data with its lists and members, so that it is shown as tables; each string one line. */
export function quotedData(value: Untrusted<unknown>, max = 300): QuotedData {
  return new QuotedData(value, max)
}

/** The content of an untrusted block: quoted passages, and the ids and numbers that they belong to. */
export type BlockContent =
  | Quoted
  | QuotedData
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly BlockContent[]
  | { readonly [name: string]: BlockContent }

/** The longest version of a release in the contract: a name that is cut would find nothing in the next call. */
const NAME_CHARACTERS = 250

/**
 * A name that the workspace vouches for, as plain text in one line; undefined if only outsiders gave it, and if it looks
 * like instructions: a copy of an outsider's text is not what was vouched for (mcp §6.3).
 */
export function knownName(name: Untrusted<string> | undefined, known: boolean | undefined): string | undefined {
  if (name === undefined || known !== true) return undefined
  const text = Untrusted.open(name).slice(0, longestRead(NAME_CHARACTERS))
  return isAlarmingText(text) ? undefined : cutTo(withoutMarkers(inOneLine(safeText(text).text)), NAME_CHARACTERS)
}

/** The text where all of it matches: a digest, a key or one of a few words cannot be an instruction. */
export function textMatching(text: Untrusted<unknown> | undefined, pattern: RegExp): string | undefined {
  const open = text === undefined ? '' : Untrusted.open(text)
  return typeof open === 'string' && pattern.test(open) ? open : undefined
}

/** Compares a name that outsiders may have written with the caller's input, without revealing the name. */
export function compareName(
  name: Untrusted<string> | string | undefined,
  given: string,
): 'exact' | 'fold' | 'prefix' | undefined {
  if (name === undefined) return undefined
  const text = name instanceof Untrusted ? Untrusted.open(name) : name
  if (text === given) return 'exact'
  const [fold, wanted] = [text.toLowerCase(), given.toLowerCase()]
  return fold === wanted ? 'fold' : fold.startsWith(wanted) ? 'prefix' : undefined
}

/** Whether the name is the caller's, in any case: names of branches, environments and components are the same then. */
export function isSameName(name: Untrusted<string> | string | undefined, given: string): boolean {
  return ['exact', 'fold'].includes(compareName(name, given) ?? '')
}

/**
 * Whether the caller's version is that of the release, when one of them leaves out the package or a `v`: `1.4.1` and
 * `v1.4.1` for `shop@1.4.1`. Of two packages only the same one counts.
 */
export function isSameVersion(name: Untrusted<string> | string | undefined, given: string): boolean {
  if (name === undefined) return false
  const one = splitVersion(name instanceof Untrusted ? Untrusted.open(name) : name)
  const other = splitVersion(given)
  if (one.version !== other.version || other.version === '') return false
  return one.scope === other.scope || one.scope === '' || other.scope === ''
}

function splitVersion(text: string): { scope: string; version: string } {
  const at = text.lastIndexOf('@')
  const [scope = '', version = ''] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)].map((part) =>
    part.trim().toLowerCase(),
  )
  return { scope, version: version.replace(/^v(?=\d)/, '') }
}

/** Whether the two texts are the same, but for blanks around them. */
export function isSameText(one: Untrusted<string> | undefined, other: Untrusted<string> | string | undefined): boolean {
  const text = other instanceof Untrusted ? Untrusted.open(other) : other
  return (one === undefined ? '' : Untrusted.open(one)).trim() === (text ?? '').trim()
}

/** Whether the name contains the text, ignoring case. */
export function nameContains(name: Untrusted<string> | string | undefined, text: string): boolean {
  if (name === undefined) return false
  const open = name instanceof Untrusted ? Untrusted.open(name) : name
  return open.toLowerCase().includes(text.toLowerCase())
}

/** Whether the text is present and not blank. */
export function hasText(text: Untrusted<string> | undefined): text is Untrusted<string> {
  return text !== undefined && Untrusted.open(text).trim() !== ''
}

/** Whether the text has at most this many characters. */
export function isShort(text: Untrusted<string>, characters: number): boolean {
  return Untrusted.open(text).length <= characters
}

/** Text that is made from outsiders' texts, and therefore untrusted itself. */
export function combined(texts: readonly Untrusted<string>[], make: (texts: string[]) => string): Untrusted<string> {
  return new Untrusted(make(texts.map((text) => Untrusted.open(text))))
}

/** A member of an untrusted object; untrusted itself. */
export function untrustedMember(object: Untrusted<unknown> | undefined, name: string): Untrusted<unknown> | undefined {
  const value = object && (Untrusted.open(object) as Record<string, unknown> | null)?.[name]
  return value === undefined ? undefined : new Untrusted(value)
}

/** A member of an untrusted object if it is a number, which cannot be an instruction. */
export function untrustedNumber(object: Untrusted<unknown> | undefined, name: string): number | undefined {
  const member = untrustedMember(object, name)
  const value = member && Untrusted.open(member)
  return typeof value === 'number' ? value : undefined
}

/** The members of an untrusted object, their names untrusted too. */
export function untrustedMembers(object: Untrusted<Record<string, unknown>>) {
  return Object.entries(Untrusted.open(object)).map((member) => member.map((part) => new Untrusted(part)))
}

/** Whether the object has only members with these names. */
export function hasOnly(object: Untrusted<Record<string, unknown>>, names: ReadonlySet<string>): boolean {
  return Object.keys(Untrusted.open(object)).every((name) => names.has(name))
}

/**
 * Outsiders' text for a page, a terminal or a file that people read, never for a result of a tool: one line of at most
 * `max` characters, without secrets and invisible characters. The caller escapes it for its format.
 */
export function textForPeople(text: Untrusted<string> | undefined, max: number): string {
  const open = text === undefined ? '' : Untrusted.open(text).slice(0, longestRead(max))
  return cutTo(inOneLine(safeText(open).text), max)
}
