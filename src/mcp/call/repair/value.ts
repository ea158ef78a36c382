import { isObject } from '../../../lib/objects.ts'
import type { RepairKind } from './notes.ts'
import { folded, type ValueKind, type Parameter } from './plan.ts'
import { cleanId } from './thing-id.ts'
import { matchPeriod, periodHint } from './period.ts'

/** Marks a parameter that is treated as not given. */
export const absent = Symbol('absent')

/** State of reading one value: the repairs made, and an addition to an error about it. */
export interface Reading {
  /** The tool writes: only conversions that keep the meaning are made. */
  writes: boolean
  done: Set<RepairKind>
  hint?: string
}

/** Longer texts are kept unchanged: no tool accepts JSON, lists or addresses of this size. */
const JSON_CHARACTERS = 1_000_000
const WORDS_CHARACTERS = 20_000
const ID_CHARACTERS = 2000
/** Longer lists, which no tool accepts, are not repaired item by item. */
const ITEMS = 10_000

/** Other trackers' words for a status. */
const statusWords: ReadonlyMap<string, string> = new Map([
  ['open', 'unresolved'],
  ['closed', 'resolved'],
  ['fixed', 'resolved'],
  ['muted', 'ignored'],
  ['archived', 'ignored'],
  ['snoozed', 'ignored'],
  ['', 'any'],
  ['all', 'any'],
])

/**
 * The value converted for the parameter, `absent`, or the unchanged value, which the strict schema then refuses. Never
 * throws.
 */
export function repairValue(parameter: Parameter, value: unknown, reading: Reading): unknown {
  const { name, kind, optional, literal } = parameter
  if (kind.is === 'choice' && typeof value === 'string') {
    if (name === 'status') return repairStatus(kind.values, value, parameter, reading)
    if (name === 'period' && value.trim() !== '') return repairPeriod(kind.values, value, reading)
  }
  if (optional && isAbsent(value, literal)) {
    // An empty value must not turn a preview into a change.
    if (name === 'dry_run') return value
    reading.done.add('absent')
    return absent
  }
  // Nor must a typing mistake: only the exact word `false` turns the preview off.
  if (name === 'dry_run' && typeof value === 'string' && value !== 'false' && isFalse(value)) return value
  return convert(kind, value, { reading, literal })
}

function isFalse(text: string): boolean {
  return text.trim().toLowerCase() === 'false'
}

/** Clients with strict schemas send every member, empty where they have nothing to say. */
function isAbsent(value: unknown, literal: boolean): boolean {
  if (value === null || (Array.isArray(value) && value.length === 0)) return true
  if (typeof value !== 'string') return false
  const text = value.trim()
  return text === '' || (!literal && (text === 'null' || text === 'undefined'))
}

function repairStatus(values: readonly string[], value: string, parameter: Parameter, reading: Reading): unknown {
  if (values.includes(value)) return value
  const word = folded(value)
  const meant = word === '' && value.trim() !== '' ? undefined : statusWords.get(word)
  if (meant === undefined || !values.includes(meant)) {
    if (parameter.optional && isAbsent(value, false)) {
      reading.done.add('absent')
      return absent
    }
    return foldChoice(values, value, reading)
  }
  if (reading.writes) {
    reading.hint = `"${word}" may mean ${meant}: send that if the user wants it`
    return value
  }
  reading.done.add('status')
  return meant
}

function repairPeriod(values: readonly string[], value: string, reading: Reading): unknown {
  if (values.includes(value)) return value
  const meant = reading.writes ? undefined : matchPeriod(values, value)
  if (meant === undefined) {
    const hint = periodHint(value)
    if (hint !== undefined) reading.hint = hint
    return value
  }
  reading.done.add('period')
  return meant
}

interface Converting {
  reading: Reading
  literal: boolean
}

function convert(kind: ValueKind, value: unknown, by: Converting): unknown {
  switch (kind.is) {
    case 'whole_number':
      return toWholeNumber(kind.max, value, by.reading)
    case 'boolean':
      return toBoolean(value, by.reading)
    case 'choice':
      return typeof value === 'string' ? foldChoice(kind.values, value, by.reading) : value
    case 'text':
      return kind.thing === undefined ? value : toId(kind.thing, value, by.reading)
    case 'json':
      return toJson(value, by.reading)
    case 'list':
      return toList(kind.item, value, by)
    case 'object':
      return toObject(kind.members, value, by)
    case 'other':
      return value
  }
}

function toWholeNumber(max: number, value: unknown, { writes, done }: Reading): unknown {
  const number = typeof value === 'string' && /^\s*[+-]?\d+(?:\.0+)?\s*$/.test(value) ? Number(value) : value
  if (typeof number !== 'number' || !Number.isInteger(number)) return value
  if (!writes && number > max) {
    done.add('clamp')
    return max
  }
  if (number !== value) done.add('number')
  return number
}

function toBoolean(value: unknown, { done }: Reading): unknown {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : undefined
  if (word !== 'true' && word !== 'false') return value
  done.add('boolean')
  return word === 'true'
}

function foldChoice(values: readonly string[], value: string, { done }: Reading): string {
  if (values.includes(value)) return value
  const word = folded(value.replaceAll(/["'`]/g, ''))
  const match = values.find((option) => folded(option) === word)
  if (match === undefined) return value
  done.add('choice')
  return match
}

function toJson(value: unknown, { done }: Reading): unknown {
  if (!isObject(value)) return value
  done.add('json')
  return JSON.stringify(value)
}

function toId(thing: string, value: unknown, { done }: Reading): unknown {
  // Some ids are decimal, and a safe integer has only one spelling.
  const text = Number.isSafeInteger(value) && Number(value) >= 0 ? String(value) : value
  if (typeof text !== 'string' || text.length > ID_CHARACTERS) return value
  const id = cleanId(thing, text)
  if (id !== value) done.add('id')
  return id
}

function toList(item: ValueKind, value: unknown, by: Converting): unknown {
  const list = typeof value === 'string' || typeof value === 'number' ? parseList(item, value, by) : value
  if (!Array.isArray(list)) return value
  if (list.length > ITEMS) return list
  // Of literal parameters such as test cases only the members are read, each by its own rule.
  if (by.literal) return list.map((member) => (item.is === 'object' ? toObject(item.members, member, by) : member))
  return list.map((member) => convert(item, member, by))
}

/** A list from JSON text, comma-separated words or one word; the value itself if it is none of them. */
function parseList(item: ValueKind, value: string | number, { reading, literal }: Converting): unknown {
  const parsed = typeof value === 'string' ? parseJson(value) : undefined
  if (Array.isArray(parsed)) {
    reading.done.add('json')
    return parsed
  }
  const splits = item.is === 'text' && item.thing !== undefined ? true : !reading.writes && item.is !== 'object'
  if (literal || !splits) return value
  const words = typeof value === 'number' ? [value] : splitWords(value)
  if (words.length === 0) return value
  reading.done.add('list')
  return words
}

/** `a, b`, `['a', 'b']` or `a` as words. */
function splitWords(text: string): string[] {
  if (text.length > WORDS_CHARACTERS) return []
  const inner = /^\s*\[(.*)\]\s*$/s.exec(text)?.[1] ?? text
  return inner
    .split(',')
    .map((word) => word.trim().replace(/^(["'`])(.*)\1$/s, '$2'))
    .filter((word) => word !== '')
}

function toObject(members: ReadonlyMap<string, Parameter>, value: unknown, by: Converting): unknown {
  const parsed = typeof value === 'string' && !by.literal ? parseJson(value) : value
  if (!isObject(parsed)) return value
  if (parsed !== value) by.reading.done.add('json')
  const entries = Object.entries(parsed).map(([name, member]): [string, unknown] => {
    const parameter = members.get(name)
    return [name, parameter === undefined ? member : repairValue(parameter, member, by.reading)]
  })
  return Object.fromEntries(entries.filter(([, member]) => member !== absent))
}

/** The value of a JSON text, also if it was encoded twice; undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  if (text.length > JSON_CHARACTERS || !/^\s*["[{]/.test(text)) return undefined
  try {
    const once: unknown = JSON.parse(text)
    return typeof once === 'string' ? (JSON.parse(once) as unknown) : once
  } catch {
    return undefined
  }
}
