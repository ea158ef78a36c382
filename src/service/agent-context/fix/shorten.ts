import { jsonBytes } from '../../../lib/bytes.ts'
import type { NoteTruncation } from '../../shared/truncation-notes.ts'

/** The start of a text that uses at most `max` bytes in a JSON string, never half a character. */
export function shortText(text: string, max: number): string {
  // No character uses more than six bytes: control characters are written as \u0001.
  if (text.length * 6 <= max) return text
  let bytes = 0
  let length = 0
  for (const character of text) {
    bytes += characterBytes(character)
    if (bytes > max) return text.slice(0, length)
    length += character.length
  }
  return text
}

function characterBytes(character: string): number {
  const code = character.codePointAt(0) ?? 0
  if (code === 0x22 || code === 0x5c) return 2
  if (code < 0x20 || (code >= 0xd800 && code <= 0xdfff)) return 6
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  return code < 0x10000 ? 3 : 4
}

/**
 * Copies a value of the contract with every text in it cut to `max` bytes. `member` is the value's name in the
 * contract; the names of nested members are appended to it in notes, so the value must not contain keys from outside
 * the contract.
 */
export function shortTexts<T>(value: T, max: number, member: string, note: NoteTruncation): T {
  // A copy with the same members; only texts are replaced, by texts.
  return copyShortened(value, max, member, note) as T
}

function copyShortened(value: unknown, max: number, member: string, note: NoteTruncation): unknown {
  if (typeof value === 'string') {
    const kept = shortText(value, max)
    note(member, 'length', kept.length, value.length)
    return kept
  }
  if (Array.isArray(value)) return value.map((entry: unknown) => copyShortened(entry, max, member, note))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, entry]) => [
    name,
    copyShortened(entry, max, `${member}.${name}`, note),
  ])
  return Object.fromEntries(entries)
}

/** The first (or `newest`: the last) entries of a list. */
export function fewer<T>(
  list: readonly T[],
  max: number,
  { member, note, newest = false }: { member: string; note: NoteTruncation; newest?: boolean },
): T[] {
  if (list.length <= max) return [...list]
  note(member, 'count', max, list.length)
  return newest ? list.slice(list.length - max) : list.slice(0, max)
}

/** The entries of an object with foreign keys that fit into `max` bytes, whole and in their order. */
export function fewerEntries<T>(
  object: Readonly<Record<string, T>>,
  max: number,
  { member, note }: { member: string; note: NoteTruncation },
): Record<string, T> {
  if (max === Infinity) return object
  const entries = Object.entries(object)
  let left = max
  const kept = entries.filter(([key, value]) => {
    const size = jsonBytes(key) + jsonBytes(value) + 2
    if (size > left) return false
    left -= size
    return true
  })
  note(member, 'size', kept.length, entries.length)
  return Object.fromEntries(kept)
}
