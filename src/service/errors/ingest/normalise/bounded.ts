import { isObject, type JsonObject } from '../../../../lib/objects.ts'
import { cut, replaceUnstorable } from '../../../../lib/text.ts'
import type { Signals } from './signals.ts'

/** What is left for a copy; `complete` becomes false when something did not fit. */
interface Allowance {
  left: number
  depth: number
  complete: boolean
}

export interface Bounds {
  /** Characters of each entry, roughly as in its JSON. */
  each: number
  /** Characters of all entries. */
  total: number
}

const MAX_DEPTH = 12
const KEY_LENGTH = 200

/** Extra: 16 KiB each and 256 KiB in all; contexts: 8 KiB each (errors §1.5). */
export const extraBounds: Bounds = { each: 16 * 1024, total: 256 * 1024 }
export const contextBounds: Bounds = { each: 8 * 1024, total: 256 * 1024 }
/** Frame variables, breadcrumb data, request headers: small maps that an event holds many of. */
export const mapBounds: Bounds = { each: 4 * 1024, total: 16 * 1024 }

/** A copy of an object member within the bounds; what does not fit is cut, and the note counts the entries. */
export function boundedObject(
  value: JsonObject,
  member: string,
  { each, total }: Bounds,
  signals: Signals,
): JsonObject {
  const copy: JsonObject = {}
  let whole = 0
  let count = 0
  let left = total
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue
    count += 1
    const size = Math.min(each, left - key.length)
    if (size <= 0 || key === '__proto__') continue
    const allowance: Allowance = { left: size, depth: MAX_DEPTH, complete: key.length <= KEY_LENGTH }
    copy[cut(replaceUnstorable(key), KEY_LENGTH)] = copyValue(value[key], allowance)
    left -= key.length + size - Math.max(0, allowance.left)
    if (allowance.complete) whole += 1
  }
  if (whole < count) signals.note(member, 'size', whole, count)
  return copy
}

/** A copy of a list of any values, at most `size` characters. */
export function boundedList(list: readonly unknown[], member: string, size: number, signals: Signals): unknown[] {
  const allowance: Allowance = { left: size, depth: MAX_DEPTH, complete: true }
  const copy = copyList(list, allowance)
  if (!allowance.complete) signals.note(member, 'size', copy.length, list.length)
  return copy
}

/**
 * The payload itself when it nests at most `max` levels, else a copy cut there: serialising deeper objects overflows
 * the stack.
 */
export function shallowEnough(payload: JsonObject, member: string, max: number, signals: Signals): JsonObject {
  if (nestsWithin(payload, max)) return payload
  signals.note(member, 'depth', 0, 1)
  return copyObject(payload, { left: Infinity, depth: max, complete: true })
}

function nestsWithin(value: object, depth: number): boolean {
  if (depth === 0) return false
  if (Array.isArray(value)) return value.every((entry) => isShallow(entry, depth - 1))
  // Without a list of all values, which takes long for an object with many members.
  for (const key in value) if (!isShallow((value as JsonObject)[key], depth - 1)) return false
  return true
}

function isShallow(value: unknown, depth: number): boolean {
  return typeof value !== 'object' || value === null || nestsWithin(value, depth)
}

function copyValue(value: unknown, allowance: Allowance): unknown {
  if (typeof value === 'string') return copyText(value, allowance)
  if (typeof value !== 'object' || value === null) {
    allowance.left -= 5
    return value ?? null
  }
  if (allowance.depth === 0) {
    allowance.complete = false
    return null
  }
  allowance.depth -= 1
  const copy = isObject(value) ? copyObject(value, allowance) : Array.isArray(value) ? copyList(value, allowance) : null
  allowance.depth += 1
  return copy
}

function copyText(value: string, allowance: Allowance): string {
  const text = replaceUnstorable(value)
  const kept = cut(text, Math.max(0, allowance.left))
  if (kept.length < text.length) allowance.complete = false
  allowance.left -= kept.length + 2
  return kept
}

function copyList(list: readonly unknown[], allowance: Allowance): unknown[] {
  const copy: unknown[] = []
  for (const entry of list) {
    if (allowance.left <= 0) {
      allowance.complete = false
      break
    }
    allowance.left -= 1
    copy.push(copyValue(entry, allowance))
  }
  return copy
}

function copyObject(value: JsonObject, allowance: Allowance): JsonObject {
  const copy: JsonObject = {}
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue
    // Assigning to __proto__ would change the copy's prototype.
    if (allowance.left <= key.length || key === '__proto__') {
      allowance.complete = false
      continue
    }
    allowance.left -= key.length + 3
    copy[replaceUnstorable(key)] = copyValue(value[key], allowance)
  }
  return copy
}
