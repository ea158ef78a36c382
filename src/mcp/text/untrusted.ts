import { Untrusted } from '../../contract/base/text.ts'
import { clean, cutTo, inOneLine } from './clean.ts'
import { findFlags, type Flags } from './flags.ts'
import { redact, redactMembers, redactValue } from './redact.ts'

type Part = Untrusted<unknown> | string | number | undefined

/** A passage for the untrusted block, made of outsiders' text and fixed words; only `openBlock` reads it. */
export class Quoted {
  readonly parts: readonly Part[]
  readonly max: number
  readonly manyLines: boolean

  constructor(parts: readonly Part[], max: number, manyLines: boolean) {
    this.parts = parts
    this.max = max
    this.manyLines = manyLines
  }

  /** At most `max` characters. */
  cut(max: number): Quoted {
    return new Quoted(this.parts, max, this.manyLines)
  }

  /** Newlines stay; otherwise a passage is one line. */
  keepLines(): Quoted {
    return new Quoted(this.parts, this.max, true)
  }
}

/** Quotes outsiders' text: quoted`${frame.function} in ${frame.filename}`, one line of at most 300 characters. */
export function quoted(words: readonly string[], ...texts: readonly Part[]): Quoted {
  return new Quoted(
    words.flatMap((word, index) => [word, texts[index]]),
    300,
    false,
  )
}

/** What an untrusted block holds: quoted passages, and ids and numbers that say what they are about. */
export type BlockContent =
  | Quoted
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly BlockContent[]
  | { readonly [name: string]: BlockContent }

export type OpenContent = string | number | boolean | OpenContent[] | { [name: string]: OpenContent }

export interface OpenedBlock {
  content: { [name: string]: OpenContent }
  /** Invisible characters taken out. */
  removed: number
  redacted: Record<string, number>
  /** What the texts look like, as they came. */
  flags: Flags
}

interface Tally {
  removed: number
  redacted: Record<string, number>
  /** The texts as they came. */
  raw: string[]
}

/**
 * Opens a block's passages: cleaned, redacted, cut. The only place where `Untrusted` turns into text for an agent. Empty
 * members are left out.
 */
export function openBlock(content: { readonly [name: string]: BlockContent }): OpenedBlock {
  const tally: Tally = { removed: 0, redacted: {}, raw: [] }
  // An object stays an object; only when nothing is left of it is there nothing to show.
  const opened = (openContent(content, tally) ?? {}) as OpenedBlock['content']
  // Over all texts at once: what one field begins another may end, and each begins a line.
  return { content: opened, removed: tally.removed, redacted: tally.redacted, flags: findFlags(tally.raw.join('\n')) }
}

function openContent(content: BlockContent, tally: Tally): OpenContent | undefined {
  if (content === undefined || content === null || content === '') return undefined
  if (content instanceof Quoted) return openQuoted(content, tally) || undefined
  if (typeof content !== 'object') return content
  if (isList(content)) {
    const items = content.map((item) => openContent(item, tally)).filter((item) => item !== undefined)
    return items.length === 0 ? undefined : items
  }
  const members: { [name: string]: OpenContent } = {}
  for (const [name, member] of Object.entries(content)) {
    const value = openContent(member, tally)
    if (value !== undefined) members[name] = value
  }
  return Object.keys(members).length === 0 ? undefined : members
}

function openQuoted(quote: Quoted, tally: Tally): string {
  const cleaned = clean(quote.parts.map((_, index) => openPart(quote, index, tally)).join(''))
  const safe = redact(cleaned.text)
  tally.removed += cleaned.removed
  for (const [kind, count] of Object.entries(safe.counts)) tally.redacted[kind] = (tally.redacted[kind] ?? 0) + count
  // The nonce cannot be guessed; a text that imitates the marker all the same loses its bracket.
  const unmarked = safe.text.replaceAll(/<(?=\/?\s*untrusted)/gi, '‹')
  return cutTo(quote.manyLines ? unmarked.trim() : inOneLine(unmarked), quote.max)
}

function openPart({ parts, manyLines }: Quoted, index: number, tally: Tally): string {
  const part = parts[index]
  if (!(part instanceof Untrusted)) return String(part ?? '')
  const value = Untrusted.open(part)
  tally.raw.push(...collectTexts(value))
  const secret = redactValue(precedingName(parts, index), value, tally.redacted)
  return secret ?? plain(redactMembers(value, tally.redacted), manyLines)
}

/** Every text in a value: names and members of objects too, each by itself. */
function collectTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [name, ...collectTexts(member)])
}

/** Of a passage quoted`${name}=${value}` the name, when it is the value's turn; else nothing. */
function precedingName(parts: readonly Part[], index: number): string {
  const name = parts[index - 1] === '=' ? parts[index - 2] : undefined
  const text = name instanceof Untrusted ? Untrusted.open(name) : name
  return typeof text === 'string' ? clean(text).text : ''
}

/** A string as it is, in one line without the spaces around it; anything else as JSON, empty objects as nothing. */
function plain(value: unknown, manyLines: boolean): string {
  if (typeof value === 'string') return manyLines ? value : value.trim()
  if (value === undefined || value === null) return ''
  return typeof value === 'object' && Object.keys(value).length === 0 ? '' : JSON.stringify(value)
}

function isList(content: object): content is readonly BlockContent[] {
  return Array.isArray(content)
}

/** A name that the workspace vouches for, as plain text; undefined when only events named it (mcp §6.3). */
export function knownName(name: Untrusted<string> | undefined, known: boolean | undefined): string | undefined {
  if (name === undefined || known !== true) return undefined
  return cutTo(inOneLine(clean(Untrusted.open(name)).text), 200)
}

/** How a name that may come from outsiders compares with what the caller typed; shows nothing of it. */
export function compareName(
  name: Untrusted<string> | string | undefined,
  given: string,
): 'exact' | 'fold' | 'prefix' | undefined {
  if (name === undefined) return undefined
  const text = name instanceof Untrusted ? Untrusted.open(name) : name
  if (text === given) return 'exact'
  const fold = text.toLowerCase()
  if (fold === given.toLowerCase()) return 'fold'
  return fold.startsWith(given.toLowerCase()) ? 'prefix' : undefined
}

/** Does the name contain the text, whatever its case? */
export function nameContains(name: Untrusted<string> | string | undefined, text: string): boolean {
  if (name === undefined) return false
  const open = name instanceof Untrusted ? Untrusted.open(name) : name
  return open.toLowerCase().includes(text.toLowerCase())
}

/** Is there any text in it? */
export function hasText(text: Untrusted<string> | undefined): text is Untrusted<string> {
  return text !== undefined && Untrusted.open(text).trim() !== ''
}

/** Is the text at most so long? */
export function isShort(text: Untrusted<string>, characters: number): boolean {
  return Untrusted.open(text).length <= characters
}

/** Outsiders' text made of outsiders' texts: it stays what it is. */
export function combined(texts: readonly Untrusted<string>[], make: (texts: string[]) => string): Untrusted<string> {
  return new Untrusted(make(texts.map((text) => Untrusted.open(text))))
}

/** A member of an outsider's object, by its name. */
export function untrustedMember(
  object: Untrusted<Record<string, unknown>> | undefined,
  name: string,
): Untrusted<unknown> | undefined {
  const value = object === undefined ? undefined : Untrusted.open(object)[name]
  return value === undefined ? undefined : new Untrusted(value)
}

/** Has the object no members but these? */
export function hasOnly(object: Untrusted<Record<string, unknown>>, names: ReadonlySet<string>): boolean {
  return Object.keys(Untrusted.open(object)).every((name) => names.has(name))
}
