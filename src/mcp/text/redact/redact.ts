import { LRUCache } from 'lru-cache'
import { commands } from './commands.ts'
import { credentials } from './credentials.ts'
import { findTokens } from './find-tokens.ts'
import { findNamed } from './named.ts'
import { isDocumentation, personal } from './personal.ts'
import { findPrivateKeys } from './private-keys.ts'
import { readings, type Reading } from './readings.ts'
import { findByRules, label, type Span } from './rule.ts'

interface Redacted {
  text: string
  /** How many of each kind were replaced; empty if none. */
  counts: Record<string, number>
}

export interface RedactOptions {
  /** Leaves addresses that are reserved for documentation as they are, such as `user@example.com`. */
  keepsExamples?: boolean
}

const patterns = [...credentials, ...commands]
/**
 * Short texts in which nothing was found: names and titles come again in each result. What holds a secret is not kept.
 */
const harmless = new LRUCache<string, true>({
  maxSize: 500_000,
  maxEntrySize: 1_000,
  sizeCalculation: (_, text) => text.length + 1,
})
/** A replacement can create a new start or end for adjacent text; more than two rounds have never been needed. */
const ROUNDS = 6
const LABELS = /^(?:\[redacted:\w+\]|~)$/

/**
 * Replaces credentials and addresses of people by `[redacted:kind]` and counts them (mcp §6.4), until nothing is left to
 * replace. Ids, hashes, versions and file names stay; a home directory becomes `~`. Nothing is decoded: what is only found
 * in a decoded reading is replaced where it stands in the text.
 */
export function redact(raw: string, options: RedactOptions = {}): Redacted {
  if (harmless.get(raw) === true) return { text: raw, counts: {} }
  const redacted = redactText(raw, options)
  if (redacted.text === raw && options.keepsExamples !== true) harmless.set(raw, true)
  return redacted
}

function redactText(raw: string, options: RedactOptions): Redacted {
  const counts: Record<string, number> = {}
  let text = raw
  for (let round = 0; round < ROUNDS; round += 1) {
    const spans = findSecrets(text, options)
    if (spans.length === 0) break
    text = replace(text, spans)
    for (const { kind } of spans) counts[kind] = (counts[kind] ?? 0) + 1
  }
  return { text, counts }
}

/** The parts to replace, in their order. Credentials that overlap are one; personal data next to them waits a round. */
function findSecrets(text: string, { keepsExamples = false }: RedactOptions): Span[] {
  const all = readings(text)
  const isNew = ({ start, end }: Span) => !LABELS.test(text.slice(start, end))
  const secret = merge(all.flatMap((reading) => inOriginal(reading, findCredentials(reading.text))).filter(isNew))
  const people = merge(
    all.flatMap((reading) => inOriginal(reading, findPersonal(reading.text, keepsExamples))).filter(isNew),
  )
  return people.length === 0 ? secret : inOrder([...secret, ...apartFrom(secret, people)])
}

/** The spans that overlap none of the others; both in their order. */
function apartFrom(others: readonly Span[], spans: readonly Span[]): Span[] {
  let next = 0
  return spans.filter(({ start, end }) => {
    while ((others[next]?.end ?? Infinity) <= start) next += 1
    return (others[next]?.start ?? Infinity) >= end
  })
}

function inOrder(spans: readonly Span[]): Span[] {
  return spans.toSorted((one, other) => one.start - other.start)
}

function findCredentials(text: string): Span[] {
  return [...findPrivateKeys(text), ...findTokens(text), ...findByRules(text, patterns), ...findNamed(text)]
}

function findPersonal(text: string, keepsExamples: boolean): Span[] {
  const found = findByRules(text, personal)
  return keepsExamples ? found.filter(({ start, end }) => !isDocumentation(text.slice(start, end))) : found
}

function inOriginal(reading: Reading, spans: readonly Span[]): Span[] {
  return spans.map((span) => ({ ...span, start: reading.start(span.start), end: reading.end(span.end) }))
}

/** Spans that overlap as one, of the kind of the longest of them. */
function merge(spans: readonly Span[]): Span[] {
  const merged: Span[] = []
  let longest = 0
  for (const span of inOrder(spans)) {
    const last = merged.at(-1)
    const length = span.end - span.start
    if (last === undefined || span.start >= last.end) {
      merged.push({ ...span })
      longest = length
      continue
    }
    last.end = Math.max(last.end, span.end)
    if (length <= longest) continue
    longest = length
    Object.assign(last, { kind: span.kind, instead: span.instead })
  }
  return merged
}

function replace(text: string, spans: readonly Span[]): string {
  let result = ''
  let done = 0
  for (const { start, end, kind, instead } of spans) {
    result += text.slice(done, start) + (instead ?? label(kind))
    done = end
  }
  return result + text.slice(done)
}
