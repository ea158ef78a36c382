import { Untrusted } from '../../contract/base/text.ts'
import { inSlices } from '../../lib/in-slices.ts'
import { isObject } from '../../lib/objects.ts'
import { clean, cutTo, inOneLine } from '../../lib/outside-text/clean.ts'
import { isAlarmingText } from '../../lib/outside-text/alarming-text.ts'
import { cutRevealed, reveal } from '../../lib/outside-text/reveal.ts'
import { NoteTaker, placeName, type BlockNotes } from './block-notes.ts'
import { hideKeyLines, redact, redactData, redactValue } from './redact/index.ts'
import { longestRead } from './safe-text.ts'
import { Quoted, QuotedData, type BlockContent, type PassagePart } from './untrusted.ts'

type Members = { [name: string]: OpenContent }
export type OpenContent = string | number | boolean | OpenContent[] | Members

/** What a flagged text about something else is replaced by. */
const WITHHELD = 'withheld: looks like instructions'

export interface OpenedBlock extends BlockNotes {
  content: { [name: string]: OpenContent }
}

interface Tally {
  notes: NoteTaker
  /** The same names of files and functions come again and again. */
  known: Map<string, ReturnType<typeof redact>>
  /** What is shown of texts that hold lines of a private key. */
  keyLines: ReadonlyMap<string, string>
}

/**
 * Opens the passages of a block: redacted, made visible, cut. Together with `knownName` and
 * `textMatching` this is the only way from `Untrusted` to
 * text for an agent. Empty members are omitted. Large blocks are opened in slices.
 */
export function openBlock(content: { readonly [name: string]: BlockContent }): Promise<OpenedBlock> {
  return inSlices(openSteps(content))
}

function* openSteps(content: { readonly [name: string]: BlockContent }): Generator<void, OpenedBlock> {
  const keyLines = hideKeyLines(blockTexts(content))
  const tally: Tally = { notes: new NoteTaker(), known: new Map(), keyLines }
  const opened: OpenedBlock['content'] = {}
  for (const [name, member] of Object.entries(content)) {
    const value = yield* openMember(name, member, tally)
    if (value !== undefined) opened[name] = value
  }
  return { content: opened, ...(yield* tally.notes.steps()) }
}

/** Opens a member of the block; its rows are places of their own. */
function* openMember(name: string, member: BlockContent, tally: Tally): Generator<void, OpenContent | undefined> {
  const isRows = typeof member === 'object' && member !== null && isList(member)
  const rows: OpenContent[] = []
  for (const row of isRows ? member : [member]) {
    tally.notes.place = placeName(name, row)
    const opened = yield* openContent(row, tally)
    if (opened !== undefined) rows.push(opened)
  }
  if (!isRows) return rows[0]
  return rows.length === 0 ? undefined : rows
}

/** The raw texts of all passages, in their order. */
function blockTexts(content: BlockContent): string[] {
  if (typeof content !== 'object' || content === null) return []
  if (content instanceof QuotedData) return collectTexts(Untrusted.open(content.value))
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
  if (content instanceof QuotedData) return yield* openData(content, tally)
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

/**
 * Opens structured data: lists of objects become rows, opened one in each step, behind the other members. Objects with
 * names that could not be those of columns are one text of JSON. Empty lists stay, because "none" is a finding.
 */
function* openData({ value, max }: QuotedData, tally: Tally): Generator<void, OpenContent | undefined> {
  const reader = {
    text: (raw: string) => openQuoted(new Quoted([new Untrusted(raw)], max, false), tally),
    count: (kind: string) => tally.notes.replaced({ [kind]: 1 }),
  }
  const data = Untrusted.open(value)
  if (!isObject(data)) return openValue(redactData(data, reader))
  // A name may be a secret: such a member is redacted with the others.
  const isRowList = ([name, member]: [string, unknown]) =>
    isColumn(name, reader) && Array.isArray(member) && member.length > 0 && member.every(isObject)
  const members = Object.entries(data)
  const opened = openValue(redactData(Object.fromEntries(members.filter((one) => !isRowList(one))), reader))
  if (typeof opened === 'string') return opened
  const all: OpenContent = { ...(opened as Members) }
  for (const [name, rows] of members.filter(isRowList)) {
    const secret = redactValue(name, rows, reader)
    all[name] = secret ?? (yield* openRows(rows as object[], reader))
  }
  return Object.keys(all).length === 0 ? undefined : all
}

function isColumn(name: string, reader: Parameters<typeof redactData>[1]): boolean {
  return COLUMN.test(name) && reader.text(name) === name
}

function* openRows(rows: readonly object[], reader: Parameters<typeof redactData>[1]): Generator<void, OpenContent[]> {
  const opened: OpenContent[] = []
  for (const row of rows) {
    yield
    opened.push(openValue(redactData(row, reader)) ?? {})
  }
  return opened
}

/** Members that hold a key such as REQ-12 or SHOP-31. */
const KEYS = ['key', 'short_id']
const KEY = /^[A-Z][A-Z0-9]{1,9}-[1-9]\d*$/
/** What may be the name of a column. */
const COLUMN = /^[A-Za-z][\w.-]{0,59}$/

/** Redacted data without empty members, and without ids of what has a key (decision 013). */
function openValue(value: unknown): OpenContent | undefined {
  if (value === null || value === undefined || value === '') return undefined
  if (Array.isArray(value)) return value.map((item) => openValue(item) ?? '-')
  if (!isObject(value)) return value as string | number | boolean
  const members = Object.entries(value)
  if (!members.every(([name]) => COLUMN.test(name))) return JSON.stringify(value)
  const hasKey = KEYS.some((name) => typeof value[name] === 'string' && KEY.test(value[name]))
  const opened = members.flatMap(([name, member]) => {
    const shown = name === 'id' && hasKey ? undefined : openValue(member)
    return shown === undefined ? [] : [[name, shown] as const]
  })
  return opened.length === 0 ? undefined : Object.fromEntries(opened)
}

function openQuoted(quote: Quoted, tally: Tally): string {
  if (quote.isAside && isAlarmingText(blockTexts(quote).join('\n').slice(0, longestRead(quote.max)))) return WITHHELD
  const reach = { left: longestRead(quote.max), unread: 0 }
  const opened = quote.parts.map((_, index) => openPart(quote, index, tally, reach))
  // A name and its secret may be two parts.
  const outsiders = opened.filter((text, index) => text !== '' && quote.parts[index] instanceof Untrusted)
  const joined = outsiders.length > 1 ? redactNoted(opened.join(''), tally) : opened.join('')
  const revealed = reveal(joined)
  tally.notes.revealed(revealed)
  // Without a colour in between two halves may have become one secret.
  const safe = revealed.text === joined ? joined : redactNoted(revealed.text, tally)
  // The nonce cannot be guessed; text that imitates the marker anyway loses its bracket.
  const unmarked = safe.replaceAll(/<(?=\/?\s*untrusted)/gi, '‹')
  const passage = quote.manyLines ? unmarked.trim() : inOneLine(unmarked)
  return (revealed.escaped.length > 0 ? cutRevealed : cutTo)(passage, quote.max, reach.unread)
}

function redactNoted(text: string, { notes }: Tally): string {
  const safe = redact(text)
  notes.replaced(safe.counts)
  return safe.text
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
      tally.notes.read(raw.slice(0, reach.left))
      const hidden = tally.keyLines.get(raw)
      if (hidden !== undefined) tally.notes.replaced({ pem: 1 })
      const text = hidden ?? raw
      const read = text.slice(0, reach.left)
      reach.left -= read.length
      reach.unread += text.length - read.length
      if (typeof value === 'object') tally.notes.escapedByJson(read)
      // An ellipsis says that a secret may go on.
      return readText(read.length < text.length && read !== '' ? `${read}…` : read, tally)
    },
    count: (kind: string) => tally.notes.replaced({ [kind]: 1 }),
  }
  const secret = redactValue(precedingName(parts, index), value, reader)
  return secret ?? plain(redactData(value, reader), manyLines)
}

function readText(raw: string, { known, notes }: Tally): string {
  const safe = known.get(raw) ?? redact(raw)
  known.set(raw, safe)
  notes.replaced(safe.counts)
  return safe.text
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
  return typeof text === 'string' ? clean(text) : ''
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
