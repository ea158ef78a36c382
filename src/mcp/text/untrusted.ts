import { Untrusted } from '../../contract/base/text.ts'
import { inSlices } from '../../lib/in-slices.ts'
import { clean, cutTo, inOneLine } from '../../lib/outside-text/clean.ts'
import { findFlags, flagSteps, isAlarming, type Flags } from '../../lib/outside-text/flags.ts'
import { hideKeyLines, redact, redactData, redactValue } from './redact/index.ts'
import { longestRead, safeText, type SafeText } from './safe-text.ts'
import { withoutMarkers } from './team.ts'

type PassagePart = Untrusted<unknown> | string | number | undefined

/** A passage for the untrusted block, composed of outsiders' text and fixed words; only `openBlock` reads it. */
export class Quoted {
  readonly parts: readonly PassagePart[]
  readonly max: number
  readonly manyLines: boolean

  constructor(parts: readonly PassagePart[], max: number, manyLines: boolean) {
    this.parts = parts
    this.max = max
    this.manyLines = manyLines
  }

  /** At most `max` characters. */
  cut(max: number): Quoted {
    return new Quoted(this.parts, max, this.manyLines)
  }

  /** Keeps newlines; by default a passage is one line. */
  keepLines(): Quoted {
    return new Quoted(this.parts, this.max, true)
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

/** The content of an untrusted block: quoted passages, and the ids and numbers that they belong to. */
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
  /** Number of invisible characters that were removed. */
  removed: number
  redacted: Record<string, number>
  /** Flags of the raw texts, as far as they can be shown. */
  flags: Flags
}

interface Tally {
  removed: number
  redacted: Record<string, number>
  /** What was read of the raw texts, in their order. */
  read: string[]
  /** The same names of files and functions come again and again. */
  known: Map<string, SafeText>
  /** What is shown of texts that hold lines of a private key. */
  keyLines: ReadonlyMap<string, string>
}

/**
 * Opens the passages of a block: cleaned, redacted, cut. Together with `knownName` and `textMatching` this is the only way
 * from `Untrusted` to text for an agent. Empty members are omitted. Large blocks are opened in slices.
 */
export function openBlock(content: { readonly [name: string]: BlockContent }): Promise<OpenedBlock> {
  return inSlices(openSteps(content))
}

function* openSteps(content: { readonly [name: string]: BlockContent }): Generator<void, OpenedBlock> {
  const keyLines = hideKeyLines(blockTexts(content))
  const tally: Tally = { removed: 0, redacted: {}, read: [], known: new Map(), keyLines }
  // An object stays an object; it is undefined only if nothing of it is left.
  const opened = ((yield* openContent(content, tally)) ?? {}) as OpenedBlock['content']
  const { removed, redacted, read } = tally
  return { content: opened, removed, redacted, flags: yield* flagSteps(read) }
}

/** The raw texts of all passages, in their order. */
function blockTexts(content: BlockContent): string[] {
  if (typeof content !== 'object' || content === null) return []
  if (!(content instanceof Quoted)) return Object.values(content).flatMap(blockTexts)
  return content.parts.flatMap((part) => (part instanceof Untrusted ? collectTexts(Untrusted.open(part)) : []))
}

/** Opens one passage in each step. */
function* openContent(content: BlockContent, tally: Tally): Generator<void, OpenContent | undefined> {
  if (content === undefined || content === null || content === '') return undefined
  if (content instanceof Quoted) {
    yield
    return openQuoted(content, tally) || undefined
  }
  if (typeof content !== 'object') return content
  return isList(content) ? yield* openList(content, tally) : yield* openMembers(content, tally)
}

function* openList(list: readonly BlockContent[], tally: Tally): Generator<void, OpenContent[] | undefined> {
  const items: OpenContent[] = []
  for (const item of list) {
    const opened = yield* openContent(item, tally)
    if (opened !== undefined) items.push(opened)
  }
  return items.length === 0 ? undefined : items
}

function* openMembers(
  members: { readonly [name: string]: BlockContent },
  tally: Tally,
): Generator<void, OpenContent | undefined> {
  const opened: { [name: string]: OpenContent } = {}
  for (const [name, member] of Object.entries(members)) {
    const value = yield* openContent(member, tally)
    if (value !== undefined) opened[name] = value
  }
  return Object.keys(opened).length === 0 ? undefined : opened
}

function openQuoted(quote: Quoted, tally: Tally): string {
  const reach = { left: longestRead(quote.max), unread: 0 }
  const opened = quote.parts.map((_, index) => openPart(quote, index, tally, reach))
  const joined = opened.join('')
  // A name and its secret may be two parts.
  const outsiders = opened.filter((text, index) => text !== '' && quote.parts[index] instanceof Untrusted)
  const safe = outsiders.length > 1 ? redact(joined) : undefined
  addCounts(tally, safe?.counts ?? {})
  // The nonce cannot be guessed; text that imitates the marker anyway loses its bracket.
  const unmarked = (safe?.text ?? joined).replaceAll(/<(?=\/?\s*untrusted)/gi, '‹')
  return cutTo(quote.manyLines ? unmarked.trim() : inOneLine(unmarked), quote.max, reach.unread)
}

/** How much of a passage is read: only what can be shown. */
interface Reach {
  left: number
  /** Characters behind those, which nobody looked at. */
  unread: number
}

function openPart({ parts, manyLines }: Quoted, index: number, tally: Tally, reach: Reach): string {
  const part = parts[index]
  if (!(part instanceof Untrusted)) return String(part ?? '')
  const value = Untrusted.open(part)
  const reader = {
    text: (raw: string) => {
      tally.read.push(raw.slice(0, reach.left))
      const hidden = tally.keyLines.get(raw)
      if (hidden !== undefined) addCounts(tally, { pem: 1 })
      const text = hidden ?? raw
      const read = text.slice(0, reach.left)
      reach.left -= read.length
      reach.unread += text.length - read.length
      // An ellipsis says that a secret may go on.
      return readText(read.length < text.length && read !== '' ? `${read}…` : read, tally)
    },
    count: (kind: string) => addCounts(tally, { [kind]: 1 }),
  }
  const secret = redactValue(precedingName(parts, index), value, reader)
  return secret ?? plain(redactData(value, reader), manyLines)
}

function readText(raw: string, tally: Tally): string {
  const safe = tally.known.get(raw) ?? safeText(raw)
  tally.known.set(raw, safe)
  const { text, counts, removed } = safe
  tally.removed += removed
  addCounts(tally, counts)
  return text
}

function addCounts(tally: Tally, counts: Readonly<Record<string, number>>): void {
  for (const [kind, count] of Object.entries(counts)) tally.redacted[kind] = (tally.redacted[kind] ?? 0) + count
}

/** Every string in a value, including the names of members. */
function collectTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [name, ...collectTexts(member)])
}

/** In a passage quoted`${name}=${value}`, the name that precedes the value; otherwise ''. */
function precedingName(parts: readonly PassagePart[], index: number): string {
  const name = parts[index - 1] === '=' ? parts[index - 2] : undefined
  const text = name instanceof Untrusted ? Untrusted.open(name) : name
  return typeof text === 'string' ? clean(text).text : ''
}

/** A string unchanged, trimmed if it is one line; other values as JSON, empty objects as ''. */
function plain(value: unknown, manyLines: boolean): string {
  if (typeof value === 'string') return manyLines ? value : value.trim()
  if (value === undefined || value === null) return ''
  return typeof value === 'object' && Object.keys(value).length === 0 ? '' : JSON.stringify(value)
}

function isList(content: object): content is readonly BlockContent[] {
  return Array.isArray(content)
}

/** The longest version of a release in the contract: a name that is cut would find nothing in the next call. */
const NAME_CHARACTERS = 250

/**
 * A name that the workspace vouches for, as plain text in one line; undefined if only outsiders gave it, and if it looks
 * like instructions: a copy of an outsider's text is not what was vouched for (mcp §6.3).
 */
export function knownName(name: Untrusted<string> | undefined, known: boolean | undefined): string | undefined {
  if (name === undefined || known !== true) return undefined
  const text = Untrusted.open(name).slice(0, longestRead(NAME_CHARACTERS))
  return isAlarming(findFlags(text))
    ? undefined
    : cutTo(withoutMarkers(inOneLine(safeText(text).text)), NAME_CHARACTERS)
}

/** The text where all of it matches: a digest, a key or one of a few words cannot be an instruction. */
export function textMatching(text: Untrusted<string> | undefined, pattern: RegExp): string | undefined {
  const open = text === undefined ? '' : Untrusted.open(text)
  return pattern.test(open) ? open : undefined
}

/** Compares a name that outsiders may have written with the caller's input, without revealing the name. */
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
  const plain = text.trim().toLowerCase()
  const at = plain.lastIndexOf('@')
  const version = plain.slice(at + 1).trim()
  return { scope: plain.slice(0, Math.max(at, 0)).trim(), version: version.replace(/^v(?=\d)/, '') }
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
export function untrustedMember(
  object: Untrusted<Record<string, unknown>> | undefined,
  name: string,
): Untrusted<unknown> | undefined {
  const value = object === undefined ? undefined : Untrusted.open(object)[name]
  return value === undefined ? undefined : new Untrusted(value)
}

/** The members of an untrusted object, their names untrusted too. */
export function untrustedMembers(object: Untrusted<Record<string, unknown>>) {
  return Object.entries(Untrusted.open(object)).map((member) => member.map((part) => new Untrusted(part)))
}

/** Whether the object has only members with these names. */
export function hasOnly(object: Untrusted<Record<string, unknown>>, names: ReadonlySet<string>): boolean {
  return Object.keys(Untrusted.open(object)).every((name) => names.has(name))
}
