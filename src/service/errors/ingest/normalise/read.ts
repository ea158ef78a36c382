import { cut, replaceUnstorable, replaceControls } from '../../../../lib/text.ts'
import { isObject, type JsonObject } from '../../../../lib/objects.ts'
import type { Signals } from './signals.ts'

const nothing: JsonObject = {}

/** A string member, cleaned and cut; '' when absent or of another type. */
export function readText(value: unknown, member: string, max: number, signals: Signals): string {
  if (typeof value === 'string') return limited(value, member, max, signals)
  if (value !== undefined && value !== null) signals.note(member, 'type', 0, 1)
  return ''
}

/** A string member that SDKs also send as number or boolean (ids, versions, tag values). */
export function readScalar(value: unknown, member: string, max: number, signals: Signals): string {
  const isScalar = typeof value === 'number' || typeof value === 'boolean'
  return readText(isScalar ? String(value) : value, member, max, signals)
}

/** A name such as a release: one trimmed line without control characters. */
export function readName(value: unknown, member: string, max: number, signals: Signals): string {
  const text = typeof value === 'string' ? replaceControls(value, ' ').trim() : value
  // Cutting can leave a space at the end.
  return readScalar(text, member, max, signals).trimEnd()
}

function limited(value: string, member: string, max: number, signals: Signals): string {
  const text = replaceUnstorable(value)
  if (text.length <= max) return text
  const kept = cut(text, max)
  signals.note(member, 'length', kept.length, text.length)
  return kept
}

/** A whole number from 0, also as digits in a string; undefined when absent or something else. */
export function readCount(value: unknown, member: string, signals: Signals): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number + 0
  if (number !== undefined && number !== null) signals.note(member, 'type', 0, 1)
  return undefined
}

export function readFlag(value: unknown, member: string, signals: Signals): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (value !== undefined && value !== null) signals.note(member, 'type', 0, 1)
  return undefined
}

/** An object member; an empty one when absent or of another type. PHP writes an empty one as `[]`. */
export function readObject(value: unknown, member: string, signals: Signals): JsonObject {
  if (isObject(value)) return value
  const isEmpty = value === undefined || value === null || (Array.isArray(value) && value.length === 0)
  if (!isEmpty) signals.note(member, 'type', 0, 1)
  return nothing
}

/** A list member: `{ values: […] }`, a bare list, or with `single` one object instead of a list of one. */
export function readList(
  value: unknown,
  member: string,
  signals: Signals,
  { single = false }: { single?: boolean } = {},
): readonly unknown[] {
  const list = isObject(value) && 'values' in value ? value.values : value
  if (Array.isArray(list)) return list
  if (single && isObject(list)) return [list]
  if (list !== undefined && list !== null) signals.note(member, 'type', 0, 1)
  return []
}

/** The objects of a list; other entries are dropped, null ones silently. */
export function onlyObjects(list: readonly unknown[], member: string, signals: Signals): JsonObject[] {
  const objects = list.filter(isObject)
  if (objects.length === list.length) return objects
  const present = list.filter((entry) => entry !== null && entry !== undefined).length
  if (present > objects.length) signals.note(member, 'type', objects.length, present)
  return objects
}

/** The first and the last entries of a long list: the middle is usually repetition. */
export function keepEnds<T>(list: T[], max: number, member: string, signals: Signals): T[] {
  if (list.length <= max) return list
  signals.note(member, 'count', max, list.length)
  const first = Math.ceil(max / 2)
  return [...list.slice(0, first), ...list.slice(list.length - (max - first))]
}

/** The first entries of a long list. */
export function keepFirst<T>(list: T[], max: number, member: string, signals: Signals): T[] {
  if (list.length <= max) return list
  signals.note(member, 'count', max, list.length)
  return list.slice(0, max)
}

/** The last entries of a list in time order. */
export function keepLast<T>(list: T[], max: number, member: string, signals: Signals): T[] {
  if (list.length <= max) return list
  signals.note(member, 'count', max, list.length)
  return list.slice(list.length - max)
}
